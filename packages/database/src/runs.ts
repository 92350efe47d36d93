import { createHash } from 'node:crypto';
import { addDays, CHANNELS, type Day, dayAt, daysBetween, type Millis } from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Account, listAccountsOf } from './accounts.ts';
import { type Database, READ } from './database.ts';
import { isLinkResting } from './due-accounts.ts';
import { isDuplicateKey, retryDuplicate } from './duplicate-key.ts';
import { inSlices } from './in-slices.ts';
import { randomId } from './keys.ts';
import { retryLink } from './link-status.ts';
import type { AuthorizedLink } from './links.ts';
import { wantDiscovery } from './listing.ts';
import { readRunProgress } from './run-progress.ts';
import { plainText, tenantScope } from './tenant-scope.ts';
import { wantRange } from './wishes.ts';

/** One refresh by hand per link in this time. */
const EVERY_MS = 60_000;
/** An equal request joins an untouched run for this long; then it is one of its own. */
const JOINED_MS = 24 * 3_600_000;
const KEPT_MS = 30 * 24 * 3_600_000;
const DEFAULT_DAYS = 3;
/** Bounds of one run: wishes are written while the client waits, and its cells are read whenever it asks. */
const ACCOUNTS_MAX = 1_000;
const ACCOUNT_DAYS_MAX = 10_000;
const ATTEMPTS_MAX = 3;

/** A refresh by hand: what was asked. How far it is, is never written but read from coverage. */
export interface RefreshRun {
  _id: string;
  tenant: string;
  askedAt: Millis;
  /** Ascending. */
  links: string[];
  from: Day;
  to: Day;
}

interface RunDoc extends RefreshRun {
  /** Unique: of two processes that are asked at once for a link, one writes its run. See {@link claimsOf}. */
  claims: string[];
  /** Equal for equal requests of a tenant. */
  equal: string;
  /** All wishes are written. Without it the process died in between, and the next equal request writes them. */
  wished?: true;
  expireAt: Date;
}

function runs({ db }: Database): Collection<RunDoc> {
  return db.collection<RunDoc>('runs');
}

export interface RefreshRequest {
  /** At least one. */
  links: readonly AuthorizedLink[];
  /** Default: the last three days in the zones of all accounts. */
  range?: { from: Day; to: Day } | undefined;
  now: Millis;
}

export type RefreshAnswer =
  | { state: 'asked'; run: RefreshRun }
  /** Something else was asked of a link less than a minute ago. */
  | { state: 'busy'; until: Millis }
  /** No range is allowed for so many accounts when `daysMax` is 0. */
  | { state: 'too large'; accounts: number; daysMax: number };

/**
 * Asks for a range of links by hand: writes the run, then the wishes that make it due. Links that wait for a person are
 * tried again. An equal request within the minute, or while nothing of the run was tried yet, is the same run; repeating it
 * also mends what a crash left out. Later it is a run of its own: what the first one read is read again.
 */
export async function createRun(
  db: Database,
  tenant: string,
  { links, range, now }: RefreshRequest,
): Promise<RefreshAnswer> {
  const ids = links.map(({ _id }) => plainText('link', _id)).sort();
  const targets = await listAccountsOf(db, tenant, ids);
  const { from, to } = range ?? lastDays(links, targets, now);
  const tooLarge = judgeSize(ids, targets, daysBetween(from, to) + 1);
  if (tooLarge) return tooLarge;
  const run = { _id: randomId(), ...tenantScope(tenant), askedAt: now, links: ids, from, to };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const newest = await findRecent(db, tenant, ids, now);
    const same = newest?.equal === equalKey(run) ? newest : await findUntouched(db, run);
    if (same) {
      if (!same.wished) await retryDuplicate(() => writeWishes(db, same, { links, targets }));
      return { state: 'asked', run: same };
    }
    if (newest) return { state: 'busy', until: newest.askedAt + EVERY_MS };
    if (!(await insertRun(db, run))) continue;
    await retryDuplicate(() => writeWishes(db, run, { links, targets }));
    return { state: 'asked', run };
  }
  throw new Error(`The run of ${ids.length} links was taken in ${ATTEMPTS_MAX} attempts`);
}

/** The last days of every account; those of different zones may begin on different dates. */
function lastDays(links: readonly AuthorizedLink[], targets: readonly Account[], now: Millis) {
  const listed = new Set(targets.map(({ link }) => link));
  const zones = [
    ...targets.map(({ zone }) => zone),
    ...links.filter(({ _id }) => !listed.has(_id)).map(({ type }) => CHANNELS[type].defaultZone),
  ];
  const todays = [...new Set(zones)].map((zone) => dayAt(now, zone)).sort();
  const [earliest = dayAt(now, 'UTC')] = todays;
  return { from: addDays(earliest, 1 - DEFAULT_DAYS), to: todays.at(-1) ?? earliest };
}

function judgeSize(
  links: readonly string[],
  targets: readonly Account[],
  days: number,
): RefreshAnswer | undefined {
  const listed = new Set(targets.map(({ link }) => link));
  const count = targets.length + links.length - listed.size; // a link without accounts will have some
  const daysMax = count > ACCOUNTS_MAX ? 0 : Math.floor(ACCOUNT_DAYS_MAX / count);
  return days > daysMax ? { state: 'too large', accounts: count, daysMax } : undefined;
}

/**
 * A link's minute, and its minute that begins at the half: two moments less than 30 s apart share one of them, wherever
 * the minutes change; two that are a minute apart share none.
 */
function claimsOf(links: readonly string[], at: Millis): string[] {
  const minutes = Math.floor(at / EVERY_MS);
  const halfway = Math.floor(at / EVERY_MS + 0.5);
  return links.flatMap((link) => [`${link}.${minutes}`, `${link}.h${halfway}`]);
}

/** The newest run that asked for any of the links less than a minute ago. */
async function findRecent(
  db: Database,
  tenant: string,
  links: readonly string[],
  now: Millis,
): Promise<RunDoc | undefined> {
  const claims = [...claimsOf(links, now), ...claimsOf(links, now - EVERY_MS)];
  const [newest] = await runs(db)
    .find({ claims: { $in: claims }, ...tenantScope(tenant) }, READ)
    .sort({ askedAt: -1 })
    .limit(1)
    .toArray();
  return newest && newest.askedAt > now - EVERY_MS ? newest : undefined;
}

function equalKey({ tenant, links, from, to }: RefreshRun): string {
  const asked = createHash('sha256').update(`${links.join()} ${from} ${to}`).digest('base64url');
  return `${tenant}.${asked}`;
}

/** The newest run that asked for the same, while nothing of it was tried yet. */
async function findUntouched(db: Database, run: RefreshRun): Promise<RunDoc | undefined> {
  const now = run.askedAt;
  const [newest] = await runs(db)
    .find({ equal: equalKey(run), askedAt: { $gt: now - JOINED_MS } }, READ)
    .sort({ askedAt: -1 })
    .limit(1)
    .toArray();
  return newest && (await readRunProgress(db, newest, now)).isUntouched ? newest : undefined;
}

/** False when somebody else's run for one of the links came first. */
async function insertRun(db: Database, run: RefreshRun): Promise<boolean> {
  const claims = claimsOf(run.links, run.askedAt);
  const expireAt = new Date(run.askedAt + KEPT_MS);
  try {
    await runs(db).insertOne({ ...run, claims, equal: equalKey(run), expireAt });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Makes what a run asks for due. May be repeated. */
async function writeWishes(
  db: Database,
  { _id, askedAt, from, to }: RefreshRun,
  { links, targets }: { links: readonly AuthorizedLink[]; targets: readonly Account[] },
): Promise<void> {
  await inSlices(links, (link) => wakeLink(db, link, askedAt));
  await inSlices(targets, (account) => wantRange(db, account._id, { from, to, at: askedAt }));
  await runs(db).updateOne({ _id }, { $set: { wished: true } });
}

/** A link that was put to rest is tried again; also one whose waking a crash cut off after its status was set. */
async function wakeLink(db: Database, link: AuthorizedLink, now: Millis): Promise<void> {
  if (link.status === 'Completed') return;
  const retried = link.status === 'Disconnect' ? await retryLink(db, link, now) : undefined;
  const isStuck = link.status === 'Linking' && (await isLinkResting(db, link._id));
  if (retried || isStuck) await wantDiscovery(db, retried ?? link, now);
}

/** A tenant's run; undefined when it is unknown, another tenant's, or older than 30 days. */
export async function findRun(
  db: Database,
  tenant: string,
  id: string,
): Promise<RefreshRun | undefined> {
  const filter = { _id: plainText('run', id), ...tenantScope(tenant) };
  return (await runs(db).findOne(filter, READ)) ?? undefined;
}
