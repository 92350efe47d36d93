import {
  addDays,
  CHANNELS,
  type Day,
  dayAt,
  daysBetween,
  type FailedCell,
  type Millis,
  type Wish,
  type WishProgress,
  wishProgress,
} from '@tributary/shared';
import type { Collection } from 'mongodb';
import {
  type Account,
  accounts,
  isLinkResting,
  LINK_ACCOUNT,
  planAccountOf,
  wantDiscovery,
  wantRange,
} from './accounts.ts';
import { readCoverage } from './coverage.ts';
import { type Database, READ } from './database.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import { randomId } from './keys.ts';
import { type AuthorizedLink, findLinks, retryLink } from './links.ts';
import { plainText, tenantScope } from './tenant-scope.ts';

/** One refresh by hand per link in this time. */
const EVERY_MS = 60_000;
const KEPT_MS = 30 * 24 * 3_600_000;
const DEFAULT_DAYS = 3;
/** Bounds of one run: wishes are written while the client waits, and its cells are read whenever it asks. */
const ACCOUNTS_MAX = 1_000;
const ACCOUNT_DAYS_MAX = 10_000;
const FAILURES_SHOWN_MAX = 100;
const ATTEMPTS_MAX = 3;
const AT_ONCE = 10;

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
  /** `<link>.<minute>`, unique: of two processes that are asked at once for a link, one writes its run. */
  claims: string[];
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
 * tried again. An equal request within the minute is the same run; repeating it also mends what a crash left out.
 */
export async function createRun(
  db: Database,
  tenant: string,
  { links, range, now }: RefreshRequest,
): Promise<RefreshAnswer> {
  const ids = links.map(({ _id }) => plainText('link', _id)).sort();
  const targets = await listTargets(db, tenant, ids);
  const { from, to } = range ?? lastDays(links, targets, now);
  const tooLarge = judgeSize(ids, targets, daysBetween(from, to) + 1);
  if (tooLarge) return tooLarge;
  const run = { _id: randomId(), ...tenantScope(tenant), askedAt: now, links: ids, from, to };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const recent = await listRecent(db, tenant, ids, now);
    const same = recent.find((one) => isEqual(one, run));
    if (same) {
      if (!same.wished) await writeWishes(db, same, { links, targets });
      return { state: 'asked', run: same };
    }
    const [newest] = recent;
    if (newest) return { state: 'busy', until: newest.askedAt + EVERY_MS };
    if (!(await insertRun(db, run))) continue;
    await writeWishes(db, run, { links, targets });
    return { state: 'asked', run };
  }
  throw new Error(`The run of ${ids.length} links was taken in ${ATTEMPTS_MAX} attempts`);
}

/** The ad accounts of the links. */
async function listTargets(
  db: Database,
  tenant: string,
  links: readonly string[],
): Promise<Account[]> {
  return await accounts(db)
    .find(
      { link: { $in: [...links] }, ...tenantScope(tenant), account: { $ne: LINK_ACCOUNT } },
      READ,
    )
    .sort({ _id: 1 })
    .toArray();
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

function claimsOf(links: readonly string[], at: Millis): string[] {
  return links.map((link) => `${link}.${Math.floor(at / EVERY_MS)}`);
}

/** What was asked of any of the links less than a minute ago, newest first. */
async function listRecent(
  db: Database,
  tenant: string,
  links: readonly string[],
  now: Millis,
): Promise<RunDoc[]> {
  const claims = [...claimsOf(links, now), ...claimsOf(links, now - EVERY_MS)];
  const found = await runs(db)
    .find({ claims: { $in: claims }, ...tenantScope(tenant) }, READ)
    .sort({ askedAt: -1 })
    .toArray();
  return found.filter(({ askedAt }) => askedAt > now - EVERY_MS);
}

function isEqual(one: RefreshRun, other: RefreshRun): boolean {
  const isRange = one.from === other.from && one.to === other.to;
  return isRange && one.links.join() === other.links.join();
}

/** False when somebody else's run for one of the links came first. */
async function insertRun(db: Database, run: RefreshRun): Promise<boolean> {
  const claims = claimsOf(run.links, run.askedAt);
  try {
    await runs(db).insertOne({ ...run, claims, expireAt: new Date(run.askedAt + KEPT_MS) });
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
  const retried = link.status === 'Disconnect' ? await retryLink(db, link) : undefined;
  const isStuck = link.status === 'Linking' && (await isLinkResting(db, link._id));
  if (retried || isStuck) await wantDiscovery(db, retried ?? link, now);
}

/** Works on a few at once, so that connections are left for others. Results in the order of the items. */
async function inSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  }
  return results;
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

/** A cell of a run that was tried since and gave nothing. */
export interface RunFailure extends FailedCell {
  link: string;
  /** The platform's id. */
  account: string;
}

/** How far a run is. Counts are cells: account, day, source. */
export interface RunProgress {
  /** Those of its links that are not deleted. */
  links: AuthorizedLink[];
  planned: number;
  done: number;
  failed: number;
  /** At most 100 of what failed. */
  failures: RunFailure[];
  /** Whole percent, rounded down; 100 only when all is done and every link's accounts are known. */
  percent: number;
  /** When the first cell that is not done may be tried; undefined when none is left. */
  nextAt: Millis | undefined;
}

/** How far a run is at a moment, from what is stored. */
export async function readRunProgress(
  db: Database,
  { tenant, askedAt, links: asked, from, to }: RefreshRun,
  now: Millis,
): Promise<RunProgress> {
  const links = await findLinks(db, tenant, asked);
  const targets = await listTargets(
    db,
    tenant,
    links.map(({ _id }) => _id),
  );
  const wish: Wish = { from, to, at: askedAt };
  const parts = await inSlices(targets, (account) => readPart(db, account, { wish, now }));
  const sum = (count: (part: AccountPart) => number) =>
    parts.reduce((total, part) => total + count(part), 0);
  const planned = sum((part) => part.planned);
  const done = sum((part) => part.done);
  const nextAt = Math.min(...parts.map((part) => part.nextAt));
  const listed = new Set(targets.map(({ link }) => link));
  const isDone = done === planned && links.every(({ _id }) => listed.has(_id));
  return {
    links,
    planned,
    done,
    failed: sum((part) => part.failed),
    failures: parts.flatMap(({ failures }) => failures).slice(0, FAILURES_SHOWN_MAX),
    percent: isDone ? 100 : Math.min(99, Math.floor((100 * done) / Math.max(1, planned))),
    nextAt: nextAt === Infinity ? undefined : Math.max(now, nextAt),
  };
}

type AccountPart = Pick<RunProgress, 'planned' | 'done' | 'failed' | 'failures'> &
  Pick<WishProgress, 'nextAt'>;

/** What became of a run's wish for one account. */
async function readPart(
  db: Database,
  stored: Account,
  { wish, now }: { wish: Wish; now: Millis },
): Promise<AccountPart> {
  const { cells } = await readCoverage(db, stored._id, wish.from, wish.to);
  const { failed, ...counts } = wishProgress({
    account: planAccountOf(stored),
    cells,
    wish,
    now,
  });
  const { link, account } = stored;
  const shown = failed.slice(0, FAILURES_SHOWN_MAX);
  const failures = shown.map((cell) => ({ link, account, ...cell }));
  return { ...counts, failed: failed.length, failures };
}
