import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  CHANNELS,
  createReadingTotals,
  type Day,
  findSource,
  isFinalReading,
  type Millis,
  type ReadingTotals,
  type Replacement,
  type RevisedEntity,
  revisedTotals,
  type SealedPart,
  type Source,
} from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Account, listAccounts } from './accounts.ts';
import { type CellChange, readCoverage } from './coverage.ts';
import { type Database, READ } from './database.ts';
import { inSlices } from './in-slices.ts';
import type { AuthorizedLink } from './links.ts';
import { readRun, runText } from './observations.ts';
import { plainText, tenantScope } from './tenant-scope.ts';

const KEPT_MS = 400 * 24 * 3_600_000;
/** Replacements that a cell names; older ones are shown no more. */
const REPLACEMENTS_MAX = 100;
const ATTEMPTS_MAX = 5;
const KEYS_AT_ONCE = 1_000;

/**
 * `<link>.<account>.<level>.<day>.<run replaced>.<new run>`: what a commit changes of a level's settled totals. Written
 * before the commit; it counts only when the cell of the day names it.
 */
export interface RevisionDoc {
  _id: string;
  tenant: string;
  newRun: number;
  /** When the new reading was made. */
  at: Millis;
  /** How many entities changed. */
  n: number;
  /** Deflated JSON of the entities; whole numbers beyond 2^53 as text. */
  rows: Buffer;
  expireAt: Date;
}

export function revisions({ db }: Database): Collection<RevisionDoc> {
  return db.collection<RevisionDoc>('revisions');
}

/** A new reading of one source, not committed yet: its chunks are stored. */
export interface NewReading {
  account: Account;
  source: Source;
  run: number;
  fetchedAt: Millis;
}

type Cells = Awaited<ReturnType<typeof readCoverage>>['cells'];

/**
 * Stores what a commit is going to change of settled totals, and answers the changes with the replacements that their
 * cells are to name. A crash afterwards leaves revisions that no cell names; a repetition writes the same.
 *
 * @param cells as they were compared with the new reading
 */
export async function reviseDays(
  db: Database,
  reading: NewReading,
  changes: readonly CellChange[],
  cells: Cells,
): Promise<CellChange[]> {
  const named: CellChange[] = [];
  for (const change of changes) {
    const revised = await reviseDay(db, reading, change, cells);
    named.push({ ...change, ...(change.kept && { kept: { ...change.kept, revised } }) });
  }
  return named;
}

async function reviseDay(
  db: Database,
  reading: NewReading,
  { day, kept }: CellChange,
  cells: Cells,
): Promise<readonly Replacement[]> {
  const { account, source, run } = reading;
  const slots = { id: account._id, zone: account.zone };
  let cell = cells.get(day)?.get(source.id);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const { base, chunks = 0, fetchedAt, revised = [] } = cell ?? {};
    const isReplaced = base !== undefined && base < run && fetchedAt !== undefined;
    if (!isReplaced || !isFinalReading({ source, day, fetchedAt, account: slots })) return revised;
    const before = await readTotals(db, { ...reading, run: base, day, chunks });
    const after = await readTotals(db, { ...reading, day, chunks: kept?.chunks ?? 0 });
    if (before && after) {
      const isRevised = await storeRevisions(db, reading, { day, base, before, after });
      return isRevised ? [...revised, [base, run] as const].slice(-REPLACEMENTS_MAX) : revised;
    }
    // Rows go only when newer ones have replaced them: then the cell has moved.
    cell = (await readCoverage(db, account._id, day, day)).cells.get(day)?.get(source.id);
    const isLost = cell?.base === base; // nobody knows what the totals were
    if (isLost || (cell?.run ?? 0) > run) return cell?.revised ?? [];
  }
  throw new Error(`${source.id} of ${account._id} on ${day} was replaced ${ATTEMPTS_MAX} times`);
}

/** The totals of one run and day; undefined when some of its chunks are gone. */
async function readTotals(
  db: Database,
  { account, source, run, day, chunks }: NewReading & { day: Day; chunks: number },
): Promise<ReadingTotals | undefined> {
  const totals = createReadingTotals(CHANNELS[account.channel], source);
  let found = 0;
  for await (const { set, rows } of readRun(
    db,
    { account: account._id, source: source.id, run },
    day,
  )) {
    totals.add(set, rows);
    found += 1;
  }
  return found < chunks ? undefined : totals;
}

/** @returns false when the totals are as before, and nothing was written */
async function storeRevisions(
  db: Database,
  { account, run, fetchedAt }: NewReading,
  {
    day,
    base,
    before,
    after,
  }: { day: Day; base: number; before: ReadingTotals; after: ReadingTotals },
): Promise<boolean> {
  const revised = revisedTotals(CHANNELS[account.channel], before, after);
  for (const [part, entities] of revised) {
    const _id = revisionKey(account._id, part, day, [base, run]);
    const fields = {
      tenant: account.tenant,
      newRun: run,
      at: fetchedAt,
      n: entities.length,
      rows: encodeEntities(entities),
      expireAt: new Date(fetchedAt + KEPT_MS),
    };
    await revisions(db).replaceOne({ _id }, fields, { upsert: true });
  }
  return revised.size > 0;
}

function revisionKey(account: string, part: SealedPart, day: Day, [replaced, by]: Replacement) {
  return `${account}.${part}.${day}.${runText(replaced)}.${runText(by)}`;
}

function encodeEntities(entities: readonly RevisedEntity[]): Buffer {
  const text = JSON.stringify(entities, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return deflateRawSync(text);
}

function decodeEntities(rows: Buffer): RevisedEntity[] {
  type Stored = [entity: string, ...values: (number | string | null)[][]];
  const stored = JSON.parse(inflateRawSync(rows).toString('utf8')) as Stored[]; // written by encodeEntities only
  return stored.map(([entity, before = [], after = []]) => [
    entity,
    before.map(decodeValue),
    after.map(decodeValue),
  ]);
}

function decodeValue(value: number | string | null) {
  return typeof value === 'string' ? BigInt(value) : value;
}

/** A commit that changed settled totals of one level and day. */
export interface Revision {
  key: string;
  /** The platform's id of the ad account. */
  account: string;
  part: SealedPart;
  day: Day;
  at: Millis;
  /** How many entities changed. */
  entities: number;
}

export interface RevisionRange {
  from: Day;
  to: Day;
  /** Absent = all. */
  part?: SealedPart;
}

/** The revisions of a link over an inclusive range by day, then time; only those that were committed. */
export async function listRevisions(
  db: Database,
  link: AuthorizedLink,
  range: RevisionRange,
): Promise<Revision[]> {
  const scope = tenantScope(link.tenant);
  const owned = (await listAccounts(db, link._id)).filter(({ tenant }) => tenant === link.tenant);
  const named = new Map<string, Omit<Revision, 'key' | 'at' | 'entities'>>();
  for (const account of owned) {
    const { cells } = await readCoverage(db, account._id, range.from, range.to);
    for (const [day, sources] of cells) {
      for (const [source, { revised = [] }] of sources) {
        for (const part of revised.length > 0 ? totalParts(account, source) : []) {
          if (range.part !== undefined && part !== range.part) continue;
          for (const replacement of revised) {
            const key = revisionKey(account._id, part, day, replacement);
            named.set(key, { account: account.account, part, day });
          }
        }
      }
    }
  }
  const keys = [...named.keys()];
  const slices = Array.from({ length: Math.ceil(keys.length / KEYS_AT_ONCE) }, (_, index) =>
    keys.slice(index * KEYS_AT_ONCE, (index + 1) * KEYS_AT_ONCE),
  );
  const found = await inSlices(slices, (slice) =>
    revisions(db)
      .find({ _id: { $in: slice }, ...scope }, { ...READ, projection: { at: 1, n: 1 } })
      .toArray(),
  );
  return found
    .flat()
    .flatMap(({ _id: key, at, n }) => {
      const place = named.get(key);
      return place ? [{ key, ...place, at, entities: n }] : [];
    })
    .sort(compareRevisions);
}

/** Where a revision stands in the order by day, then time. */
export type RevisionPlace = Pick<Revision, 'day' | 'at' | 'key'>;

export function compareRevisions(a: RevisionPlace, b: RevisionPlace): number {
  return compare(a.day, b.day) || a.at - b.at || compare(a.key, b.key);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The parts whose totals a source gives. */
function totalParts({ channel }: Account, source: string): SealedPart[] {
  if (CHANNELS[channel].kind === 'blog') return ['blog'];
  const fills = findSource(CHANNELS[channel], source)?.fills ?? [];
  return fills.filter(({ part }) => part === 'base').map(({ level }) => level);
}

/** The entities of a listed revision, before and after; none when it was deleted meanwhile. */
export async function readRevision(
  db: Database,
  link: AuthorizedLink,
  { key }: Pick<Revision, 'key'>,
): Promise<RevisedEntity[]> {
  const found = await revisions(db).findOne(
    { _id: plainText('revision', key), ...tenantScope(link.tenant) },
    READ,
  );
  return found ? decodeEntities(found.rows) : [];
}
