import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import {
  type AnswerSize,
  type BlogDay,
  type Day,
  type Exact,
  FIRST_FIGURE,
  filledBits,
  type ObservationRow,
  type Observed,
  type SetId,
  STORED_METRICS,
} from '@tributary/shared';
import type { Collection } from 'mongodb';
import type { Database } from './database.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import { createPacer } from './pacer.ts';

/** Rows of a chunk: what is read back at once. */
export const CHUNK_ROWS_MAX = 10_000;
/** Texts of rows that one window holds on their way into chunks: many sets and days may be open at once. */
const OPEN_ROWS_MAX = 100_000;
const INSERT_BYTES_MAX = 4_000_000;
/** Chunks that are read in one batch. */
const READ_CHUNKS = 50;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** `<link>.<account>.<source>.<day>.<run, 10 digits>.<set>.<chunk>` */
export interface ObservationDoc {
  _id: string;
  tenant: string;
  /** Deflated JSON of the rows; whole numbers beyond 2^53 as text. */
  rows: Buffer;
}

export type AnyRow = ObservationRow | BlogDay;

export function observations({ db }: Database): Collection<ObservationDoc> {
  return db.collection<ObservationDoc>('observations');
}

/** The key range of one source and day. Runs are ten digits, so they sort as they count. */
function dayPrefix(account: string, source: string, day: Day): string {
  return `${account}.${source}.${day}.`;
}

/** A run in a key: ten digits, so that keys sort as runs count. */
export function runText(run: number): string {
  return String(run).padStart(10, '0');
}

/** A stored chunk: rows of one set of one source and day, as one run read them. */
export interface Chunk {
  day: Day;
  run: number;
  set: SetId;
  rows: AnyRow[];
}

/**
 * A digest of a day's rows that does not depend on their order: the sum of their hashes, and their number. Pages may
 * come in another order the next time.
 */
export interface Digest {
  /** Takes a row as its text. */
  add(set: SetId, row: string): void;
  text(): string;
}

export function createDigest(): Digest {
  let sum = 0n;
  let count = 0;
  return {
    add(set, row) {
      const name = hash('sha256', `${set}[${row}]`, 'hex');
      sum = BigInt.asUintN(128, sum + BigInt(`0x${name.slice(0, 32)}`));
      count += 1;
    },
    text: () => `${count}-${sum.toString(36)}`,
  };
}

/** A row as it is stored: JSON, with whole numbers beyond 2^53 as text. */
export function encodeRow(row: AnyRow): string {
  const isPlain = !Array.isArray(row) || !row.some((value) => typeof value === 'bigint');
  if (isPlain) return JSON.stringify(row);
  return JSON.stringify(row.map((value) => (typeof value === 'bigint' ? String(value) : value)));
}

function decodeRows(text: string, set: SetId): AnyRow[] {
  const rows = JSON.parse(text) as AnyRow[]; // written by encodeRow only
  for (const row of rows) reviveRow(row, set);
  return rows;
}

/** Makes a row that was read what it was before {@link encodeRow}. */
export function reviveRow(row: AnyRow, set: SetId): AnyRow {
  if (set === 'blog') return row;
  const values = row as (string | Exact | null)[];
  for (let index = FIRST_FIGURE; index < values.length; index += 1) {
    const value = values[index];
    if (typeof value === 'string') values[index] = BigInt(value);
  }
  return row;
}

export interface ChunkTarget {
  account: string;
  tenant: string;
  source: string;
  run: number;
}

/** Chunks of rows on their way into the store: at most {@link CHUNK_ROWS_MAX} rows each, written as they fill. */
export interface ChunkWriter {
  add(observed: Observed): Promise<void>;
  /** Writes what is left; answers what was stored per day that had rows. */
  finish(): Promise<Map<Day, StoredDay>>;
}

/** What was stored of one day: its rows' digest and size. */
export interface StoredDay extends AnswerSize {
  chunks: number;
  digest: string;
  /** The metrics that each set's rows fill; see `filledBits`. */
  filled: Partial<Record<SetId, number>>;
}

/** How many rows a digest stands for. */
export function rowsOf(digest: string): number {
  return Number(digest.slice(0, digest.indexOf('-')));
}

const SPEND = FIRST_FIGURE + STORED_METRICS.indexOf('spend');

/** Spend of a totals row, as near as a number comes: good enough to judge an answer by. */
function spendOf(set: SetId, row: AnyRow): number | undefined {
  return set.endsWith('-base') && isFigures(row) ? Number(row[SPEND]) : undefined;
}

function isFigures(row: AnyRow): row is ObservationRow {
  return Array.isArray(row);
}

interface OpenDay {
  chunks: number;
  digest: Digest;
  spend?: number;
  filled: StoredDay['filled'];
}

interface OpenChunk {
  day: Day;
  set: SetId;
  /** The rows' texts. */
  rows: string[];
}

export function createChunkWriter(db: Database, target: ChunkTarget): ChunkWriter {
  const open = new Map<string, OpenChunk>();
  const days = new Map<Day, OpenDay>();
  const pacer = createPacer();
  let openRows = 0;
  let ready: ObservationDoc[] = [];
  let readyBytes = 0;

  async function flush(): Promise<void> {
    const documents = ready;
    ready = [];
    readyBytes = 0;
    if (documents.length > 0) await insertOnce(db, documents);
  }

  async function close(key: string): Promise<void> {
    const chunk = open.get(key);
    open.delete(key);
    const day = chunk && days.get(chunk.day);
    if (!chunk || !day) return;
    openRows -= chunk.rows.length;
    const rows = await deflate(`[${chunk.rows.join(',')}]`, { level: 1 });
    const prefix = dayPrefix(target.account, target.source, chunk.day);
    const _id = `${prefix}${runText(target.run)}.${chunk.set}.${String(day.chunks).padStart(4, '0')}`;
    day.chunks += 1;
    ready.push({ _id, tenant: target.tenant, rows });
    readyBytes += rows.length;
    if (readyBytes > INSERT_BYTES_MAX) await flush();
  }

  async function closeAll(): Promise<void> {
    for (const key of Array.from(open.keys())) await close(key);
  }

  return {
    async add({ day, set, rows }) {
      const key = `${day}.${set}`;
      const ofDay: OpenDay = days.get(day) ?? { chunks: 0, digest: createDigest(), filled: {} };
      days.set(day, ofDay);
      let filled = ofDay.filled[set] ?? 0;
      for (const row of rows) {
        const chunk = open.get(key) ?? { day, set, rows: [] };
        open.set(key, chunk);
        const text = encodeRow(row);
        chunk.rows.push(text);
        openRows += 1;
        ofDay.digest.add(set, text);
        const spend = spendOf(set, row);
        if (spend !== undefined) ofDay.spend = (ofDay.spend ?? 0) + spend;
        if (isFigures(row)) filled |= filledBits(row);
        if (chunk.rows.length >= CHUNK_ROWS_MAX) await close(key);
        else if (openRows >= OPEN_ROWS_MAX) await closeAll();
        else await pacer.pause();
      }
      ofDay.filled[set] = filled;
    },
    async finish() {
      await closeAll();
      await flush();
      return new Map(
        [...days].map(([day, { digest: open, ...rest }]) => {
          const digest = open.text();
          return [day, { ...rest, digest, rows: rowsOf(digest) }];
        }),
      );
    },
  };
}

/** A duplicate key means that an earlier attempt of the same run stored the chunk. */
async function insertOnce(db: Database, documents: readonly ObservationDoc[]): Promise<void> {
  try {
    await observations(db).insertMany(documents, { ordered: false });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/**
 * The stored chunks of one source over a range, one by one, of every run that is still there: the current ones and those
 * not yet cleaned away, which tell the entities that had figures before.
 */
export async function* readObservations(
  db: Database,
  { account, source, from, to }: { account: string; source: string; from: Day; to: Day },
): AsyncGenerator<Chunk, void, undefined> {
  const $gte = dayPrefix(account, source, from);
  yield* readChunks(db, { $gte, $lt: `${dayPrefix(account, source, to)}~` });
}

/** The stored chunks of one run of a source and day, one by one. */
export async function* readRun(
  db: Database,
  { account, source, run }: Omit<ChunkTarget, 'tenant'>,
  day: Day,
): AsyncGenerator<Chunk, void, undefined> {
  const prefix = `${dayPrefix(account, source, day)}${runText(run)}.`;
  yield* readChunks(db, { $gte: prefix, $lt: `${prefix}~` });
}

async function* readChunks(
  db: Database,
  _id: { $gte: string; $lt: string },
): AsyncGenerator<Chunk, void, undefined> {
  const found = observations(db).find({ _id }).sort({ _id: 1 }).batchSize(READ_CHUNKS);
  for await (const { _id, rows } of found) {
    const [day = '', run = '', set = ''] = _id.split('.').slice(-4);
    const setId = set as SetId; // keys are written by the chunk writer only
    const text = (await inflate(rows)).toString('utf8');
    yield { day, run: Number(run), set: setId, rows: decodeRows(text, setId) };
  }
}

/** Deletes the chunks of one run of a source and day: an answer that was found unchanged. */
export async function deleteRun(
  db: Database,
  target: ChunkTarget,
  days: readonly Day[],
): Promise<void> {
  for (const day of days) {
    const prefix = `${dayPrefix(target.account, target.source, day)}${runText(target.run)}.`;
    await observations(db).deleteMany({ _id: { $gte: prefix, $lt: `${prefix}~` } });
  }
}

/** Deletes what a newer run replaced: every chunk of the source and day before `base`. */
export async function deleteReplaced(
  db: Database,
  { account, source, day, base }: { account: string; source: string; day: Day; base: number },
): Promise<void> {
  const prefix = dayPrefix(account, source, day);
  await observations(db).deleteMany({ _id: { $gte: prefix, $lt: `${prefix}${runText(base)}` } });
}
