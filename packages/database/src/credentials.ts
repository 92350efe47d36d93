import { type CredentialBox, CredentialError, type CredentialPlace } from '@tributary/runtime';
import type { Millis } from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { retryDuplicate } from './duplicate-key.ts';
import { beginGeneration } from './link-status.ts';
import { type AuthorizedLink, findLinkById, type Link } from './links.ts';
import { plainText, tenantScope } from './tenant-scope.ts';

/** `_id` is the link's id. */
interface CredentialsDoc {
  _id: string;
  tenant: string;
  /** Sealed for the link's tenant, channel and id. */
  sealed: string;
  /** The key it is sealed with, to find what an old key still holds. */
  keyId: string;
  savedAt: Millis;
  /** The access token made from them last, sealed likewise; gone when they are replaced by a person. */
  access?: { sealed: string; expiresAt: Millis };
}

function credentials({ db }: Database): Collection<CredentialsDoc> {
  return db.collection<CredentialsDoc>('credentials');
}

function placeOf({ tenant, type, _id }: Link): CredentialPlace {
  return { tenant, channel: type, link: _id };
}

/**
 * Replaces a link's credentials; the link becomes Linking in a new generation. They are stored first: a turn of the old
 * generation may meet them, but none of the new one meets the old. A link deleted meanwhile keeps none.
 *
 * @returns the link as it is now; undefined when it is deleted
 */
export async function saveCredentials(
  db: Database,
  box: CredentialBox,
  link: AuthorizedLink,
  value: unknown,
  now: Millis,
): Promise<AuthorizedLink | undefined> {
  const sealed = box.seal(placeOf(link), value);
  const keyId = box.keyIdOf(sealed) ?? '';
  const fields = { ...tenantScope(link.tenant), sealed, keyId, savedAt: now };
  await retryDuplicate(() =>
    credentials(db).updateOne(
      { _id: link._id },
      { $set: fields, $unset: { access: '' } },
      { upsert: true },
    ),
  );
  const updated = await beginGeneration(db, link, now);
  if (!updated) await eraseCredentials(db, link._id);
  return updated;
}

/** A short-lived token that calls of a link are made with. */
export interface StoredToken {
  token: string;
  expiresAt: Millis;
}

/** A link's credentials, opened, with the sealed text that tells this state of them from every other. */
export interface StoredCredentials {
  value: unknown;
  sealed: string;
  /** The access token that was made from them last. */
  access?: StoredToken;
}

/**
 * Opens a link's credentials. What they are bound to comes from the link, so a document copied from another link or
 * tenant does not open.
 *
 * @throws CredentialError `credentials_missing`, `credentials_key_unknown` or `credentials_unreadable`
 */
export async function loadCredentials(
  db: Database,
  box: CredentialBox,
  linkId: string,
): Promise<StoredCredentials> {
  const _id = plainText('link', linkId);
  const [link, stored] = await Promise.all([
    findLinkById(db, _id),
    credentials(db).findOne({ _id }, READ),
  ]);
  if (!link || link.deletedAt !== undefined || !stored) {
    throw new CredentialError('credentials_missing', `Link '${linkId}' has no credentials`);
  }
  const { sealed } = stored;
  const access = stored.access && openToken(box, link, stored.access);
  return { value: box.open(placeOf(link), sealed), sealed, ...(access && { access }) };
}

/** A token that does not open is none: the link's grant is good without it, and brings another. */
function openToken(
  box: CredentialBox,
  link: Link,
  { sealed, expiresAt }: NonNullable<CredentialsDoc['access']>,
): StoredToken | undefined {
  try {
    return { token: String(box.open(placeOf(link), sealed)), expiresAt };
  } catch (error) {
    if (error instanceof CredentialError) return undefined;
    throw error;
  }
}

/**
 * Stores renewed credentials in place of those that were read, unless others are stored by now: a person's new ones, or
 * those of another renewal. The grant is the same, so no generation begins and the link stays as it is.
 *
 * @param seen the sealed text of what was renewed
 * @param access the access token that came with them
 * @returns what is stored now: `next`, or the others
 * @throws CredentialError as {@link loadCredentials}, also when the link was deleted meanwhile
 */
export async function replaceToken(
  db: Database,
  box: CredentialBox,
  link: Link,
  { seen, next, access, now }: { seen: string; next: unknown; access?: StoredToken; now: Millis },
): Promise<StoredCredentials> {
  const sealed = box.seal(placeOf(link), next);
  const keyId = box.keyIdOf(sealed) ?? '';
  const renewed = {
    sealed,
    keyId,
    savedAt: now,
    ...(access && { access: sealToken(box, link, access) }),
  };
  const isStored = await setIfSeen(db, link, seen, renewed);
  return isStored
    ? { value: next, sealed, ...(access && { access }) }
    : await loadCredentials(db, box, link._id);
}

/**
 * Stores the access token made from the credentials that were read, unless others are stored by now.
 *
 * @param seen the sealed text of the credentials that it was made from
 * @returns false = nothing was stored
 */
export async function saveAccessToken(
  db: Database,
  box: CredentialBox,
  link: Link,
  { seen, access }: { seen: string; access: StoredToken },
): Promise<boolean> {
  return await setIfSeen(db, link, seen, { access: sealToken(box, link, access) });
}

function sealToken(box: CredentialBox, link: Link, { token, expiresAt }: StoredToken) {
  return { sealed: box.seal(placeOf(link), token), expiresAt };
}

async function setIfSeen(
  db: Database,
  link: Link,
  seen: string,
  fields: Partial<CredentialsDoc>,
): Promise<boolean> {
  const { matchedCount } = await credentials(db).updateOne(
    { _id: link._id, ...tenantScope(link.tenant), sealed: plainText('seen', seen) },
    { $set: fields },
  );
  return matchedCount === 1;
}

/** Erases a link's credentials; repeating it is harmless. */
export async function eraseCredentials(db: Database, linkId: string): Promise<void> {
  await credentials(db).deleteOne({ _id: plainText('link', linkId) });
}

/**
 * Opens one link's credentials of every key in use, at the start: a key that is missing or wrong stops the process
 * instead of disconnecting all links.
 *
 * @throws CredentialError naming the key
 */
export async function verifyCredentialKeys(db: Database, box: CredentialBox): Promise<void> {
  const inUse = await credentials(db).distinct('keyId', {}, READ);
  for (const keyId of inUse) {
    // A few, as a single one may be broken by itself.
    const sample = await credentials(db).find({ keyId }, READ).limit(5).toArray();
    const opened = await Promise.allSettled(sample.map(({ _id }) => loadCredentials(db, box, _id)));
    const failures = opened.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    if (opened.length === 0 || failures.length < opened.length) continue;
    const alone = failures.every(
      (one) => one instanceof CredentialError && one.code === 'credentials_missing',
    );
    if (alone) continue;
    throw new CredentialError(
      'credentials_key_unknown',
      `Key '${keyId}' of CREDENTIALS_KEYS is missing or is not the one that sealed the stored credentials`,
      { cause: failures[0], details: { keyId } },
    );
  }
}
