import type { Millis } from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import { encodeId } from './keys.ts';
import { filledText, tenantScope } from './tenant-scope.ts';

/** An answer as it was sent, to be sent again. */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

interface RequestDoc {
  /** `<tenant>.<the client's idempotency key>` */
  _id: string;
  tenant: string;
  /** Names method, path and body. */
  fingerprint: string;
  startedAt: Millis;
  answer?: StoredAnswer;
  expireAt: Date;
}

/** A request that was begun and not finished in this time had no end; the next one may take its place. */
const ABANDONED_MS = 60_000;
const KEPT_MS = 24 * 3_600_000;
const ATTEMPTS_MAX = 3;

function requests({ db }: Database): Collection<RequestDoc> {
  return db.collection<RequestDoc>('requests');
}

export interface RequestRef {
  tenant: string;
  /** The client's idempotency key. */
  key: string;
  now: Millis;
}

export type BegunRequest =
  | { state: 'begun' }
  /** Done before: send this again. */
  | { state: 'answered'; answer: StoredAnswer }
  /** The same request is under way. */
  | { state: 'busy' }
  /** The key belongs to another request. */
  | { state: 'mismatch' };

/** Claims an idempotency key for one request; exactly one of many equal ones at once gets `begun`. */
export async function beginRequest(
  db: Database,
  { tenant, key, now, fingerprint }: RequestRef & { fingerprint: string },
): Promise<BegunRequest> {
  const _id = requestKey(tenant, key);
  const claim = { startedAt: now, expireAt: new Date(now + KEPT_MS) };
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    try {
      await requests(db).insertOne({ _id, ...tenantScope(tenant), fingerprint, ...claim });
      return { state: 'begun' };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const found = await requests(db).findOne({ _id, ...tenantScope(tenant) }, READ);
    if (!found) continue; // It expired in between.
    if (found.fingerprint !== fingerprint) return { state: 'mismatch' };
    if (found.answer) return { state: 'answered', answer: found.answer };
    if (found.startedAt > now - ABANDONED_MS) return { state: 'busy' };
    const { matchedCount } = await requests(db).updateOne(
      { _id, startedAt: found.startedAt, answer: { $exists: false } },
      { $set: claim },
    );
    if (matchedCount === 1) return { state: 'begun' };
  }
  return { state: 'busy' };
}

/**
 * Keeps the answer of a begun request for 24 hours. Without an answer the key is free again: the request failed in a
 * way that is worth repeating.
 *
 * @param now the time that {@link beginRequest} was given, so that a request taken over meanwhile is left alone
 */
export async function finishRequest(
  db: Database,
  { tenant, key, now, answer }: RequestRef & { answer?: StoredAnswer | undefined },
): Promise<void> {
  const begun = { _id: requestKey(tenant, key), ...tenantScope(tenant), startedAt: now };
  const open = { ...begun, answer: { $exists: false } };
  if (answer) await requests(db).updateOne(open, { $set: { answer } });
  else await requests(db).deleteOne(open);
}

function requestKey(tenant: string, key: string): string {
  return `${encodeId(tenantScope(tenant).tenant)}.${encodeId(filledText('key', key))}`;
}
