import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Millis } from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { base32, randomId } from './keys.ts';
import { filledText, plainText, tenantScope } from './tenant-scope.ts';

export const API_SCOPES = ['read', 'write', 'refresh', 'admin'] as const;
export type ApiScope = (typeof API_SCOPES)[number];

/** A client's key as it is stored: only the digest of its text. */
export interface ApiKey {
  /** The middle part of the key's text; names it in lists and logs. */
  _id: string;
  tenant: string;
  /** SHA-256 of the whole text, base64url. */
  digest: string;
  scopes: ApiScope[];
  title: string;
  createdAt: Millis;
  expiresAt?: Millis;
  revokedAt?: Millis;
}

const KEY_TEXT = /^trb_([a-z2-7]{16})_[a-z2-7]{52}_([a-z2-7]{7})$/;
const TENANT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

function apiKeys({ db }: Database): Collection<ApiKey> {
  return db.collection<ApiKey>('apiKeys');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Finds typing mistakes and invented keys without asking the database; it is no proof of anything else. */
function checksum(body: string): string {
  return base32(sha256(`tributary key ${body}`).subarray(0, 4));
}

/**
 * Makes a key: `trb_<id>_<32 random bytes>_<checksum>`. Its text is in the answer and nowhere else.
 *
 * @throws RangeError naming a tenant or scope that is not possible
 */
export async function createApiKey(
  db: Database,
  input: {
    tenant: string;
    scopes: readonly ApiScope[];
    title: string;
    now: Millis;
    expiresAt?: Millis;
  },
): Promise<{ id: string; key: string }> {
  const { tenant, scopes, title, now, expiresAt } = input;
  if (!TENANT_NAME.test(tenantScope(tenant).tenant)) {
    throw new RangeError(
      `Invalid tenant '${tenant}', expected 1 to 64 letters, digits, '_', '.' or '-'`,
    );
  }
  const unknown = scopes.find((scope) => !API_SCOPES.includes(scope));
  if (unknown !== undefined || scopes.length === 0) {
    throw new RangeError(`Invalid scope '${unknown ?? ''}', expected ${API_SCOPES.join(', ')}`);
  }
  const id = randomId();
  const body = `trb_${id}_${base32(randomBytes(32))}`;
  const key = `${body}_${checksum(body)}`;
  await apiKeys(db).insertOne({
    _id: id,
    ...tenantScope(tenant),
    digest: sha256(key).toString('base64url'),
    scopes: [...new Set(scopes)],
    title: plainText('title', title),
    createdAt: now,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  return { id, key };
}

/** Reads a key's text without the database; undefined when its form or checksum is wrong. */
export function checkApiKey(text: string): { id: string; digest: string } | undefined {
  const [, id, sum] = KEY_TEXT.exec(text) ?? [];
  if (!id || sum !== checksum(text.slice(0, text.lastIndexOf('_')))) return undefined;
  return { id, digest: sha256(text).toString('base64url') };
}

/** A stored key by the id in its text; it still has to pass {@link isApiKeyValid}. */
export async function findApiKey(db: Database, id: string): Promise<ApiKey | undefined> {
  return (await apiKeys(db).findOne({ _id: plainText('id', id) }, READ)) ?? undefined;
}

/** Whether a stored key is the one that was sent, and is neither revoked nor expired. Takes equally long for any text. */
export function isApiKeyValid(stored: ApiKey, digest: string, now: Millis): boolean {
  const equal = timingSafeEqual(sha256(stored.digest), sha256(digest));
  const expired = stored.expiresAt !== undefined && stored.expiresAt <= now;
  return equal && !expired && stored.revokedAt === undefined;
}

/** The keys of one tenant, or of all for an operator, oldest first; without their digests. */
export async function listApiKeys(
  db: Database,
  { tenant }: { tenant?: string | undefined } = {},
): Promise<Omit<ApiKey, 'digest'>[]> {
  return await apiKeys(db)
    .find<Omit<ApiKey, 'digest'>>(tenant === undefined ? {} : tenantScope(tenant), {
      ...READ,
      projection: { digest: 0 },
    })
    .sort({ tenant: 1, createdAt: 1, _id: 1 })
    .toArray();
}

/**
 * Makes a new key with the tenant, scopes and title of another, which goes on working for a while: clients change over
 * without a gap.
 *
 * @param overlapMs how long both work; an older end of the other key stays
 * @returns undefined when there is no such key, or it no longer works
 */
export async function rotateApiKey(
  db: Database,
  id: string,
  { now, overlapMs }: { now: Millis; overlapMs: number },
): Promise<{ id: string; key: string } | undefined> {
  const stored = await findApiKey(db, filledText('id', id));
  const isEnded = stored?.expiresAt !== undefined && stored.expiresAt <= now;
  if (!stored || isEnded || stored.revokedAt !== undefined) return undefined;
  const { tenant, scopes, title } = stored;
  const made = await createApiKey(db, { tenant, scopes, title, now });
  // Last: a rotation that is cut off leaves the old key as it was.
  await apiKeys(db).updateOne({ _id: stored._id }, { $min: { expiresAt: now + overlapMs } });
  return made;
}

/** Revokes a key; the first time counts. False when there is no such key. */
export async function revokeApiKey(db: Database, id: string, now: Millis): Promise<boolean> {
  const _id = filledText('id', id);
  const { matchedCount } = await apiKeys(db).updateOne({ _id }, { $min: { revokedAt: now } });
  return matchedCount === 1;
}
