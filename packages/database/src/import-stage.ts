import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Day, Millis, SetId } from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { keysBelow } from './keys.ts';
import { type AnyRow, encodeRow, reviveRow } from './observations.ts';
import { createPacer } from './pacer.ts';

/** Rows that wait in memory before they are written. */
const ROWS_MAX = 20_000;
/** Three bytes a character at most, and rows are short beside it. */
const TEXT_LENGTH_MAX = 4_000_000;
const INSERT_BYTES_MAX = 8_000_000;
/** What a process left behind that died during an import goes after this. */
const KEPT_MS = 2 * 60 * 60_000;

/** `<link>.<import>.<account>.<day>.<number>`; the account's id alone, as in its key. */
interface StageDoc {
  _id: string;
  tenant: string;
  /** Deflated JSON of `[number, key, set, row]`. */
  rows: Buffer;
  expireAt: Date;
}

/** A row of a file that may be taken. */
export interface StagedRow {
  /** Its place in the file, from 1. */
  number: number;
  /** What makes it the same row as another one of its day. */
  key: string;
  set: SetId;
  row: AnyRow;
}

/** One day of one account in a file. */
export interface StagedDay {
  /** `<link>.<account>` */
  account: string;
  day: Day;
  rows: number;
}

/**
 * The rows of a file under way, put aside by account and day: days may come in any order, and which of them are taken is
 * known at the end. Nothing of it is served.
 */
export interface ImportStage {
  /** @returns how many rows of the day there are now */
  add(place: { account: string; day: Day }, row: StagedRow): Promise<number>;
  /** Writes what waits; answers what there is, by account and day. */
  finish(): Promise<StagedDay[]>;
  read(place: { account: string; day: Day }): Promise<StagedRow[]>;
  /** Removes everything; may be repeated. */
  clear(): Promise<void>;
}

/** JSON arrays of a place's rows, each of a size that a document holds whatever is in it. */
function* textsOf(
  places: ReadonlyMap<string, readonly StagedRow[]>,
): Generator<[place: string, text: string]> {
  for (const [place, rows] of places) {
    let texts: string[] = [];
    let length = 0;
    for (const { number, key, set, row } of rows) {
      const text = `[${number},${JSON.stringify(key)},${JSON.stringify(set)},${encodeRow(row)}]`;
      texts.push(text);
      length += text.length;
      if (length < TEXT_LENGTH_MAX) continue;
      yield [place, `[${texts.join(',')}]`];
      texts = [];
      length = 0;
    }
    if (texts.length > 0) yield [place, `[${texts.join(',')}]`];
  }
}

function stages({ db }: Database): Collection<StageDoc> {
  return db.collection<StageDoc>('imports');
}

export function createImportStage(
  db: Database,
  { id, link, tenant, now }: { id: string; link: string; tenant: string; now: Millis },
): ImportStage {
  const waiting = new Map<string, StagedRow[]>();
  const counts = new Map<string, StagedDay>();
  let rowsWaiting = 0;
  let documents = 0;

  // `<link>.<account>` begins with the link, whose place the import takes.
  const placeOf = ({ account, day }: { account: string; day: Day }) =>
    `${link}.${id}${account.slice(link.length)}.${day}`;

  async function flush(): Promise<void> {
    const pacer = createPacer();
    let ready: StageDoc[] = [];
    let bytes = 0;
    for (const [place, text] of textsOf(waiting)) {
      const packed = deflateRawSync(text, { level: 1 });
      documents += 1;
      const _id = `${place}.${String(documents).padStart(8, '0')}`;
      ready.push({ _id, tenant, rows: packed, expireAt: new Date(now + KEPT_MS) });
      bytes += packed.length;
      if (bytes > INSERT_BYTES_MAX || ready.length >= 1_000) {
        await stages(db).insertMany(ready, { ordered: false });
        ready = [];
        bytes = 0;
      }
      await pacer.pause();
    }
    if (ready.length > 0) await stages(db).insertMany(ready, { ordered: false });
    waiting.clear();
    rowsWaiting = 0;
  }

  return {
    async add(place, row) {
      const key = placeOf(place);
      const count = counts.get(key) ?? { ...place, rows: 0 };
      counts.set(key, count);
      count.rows += 1;
      const rows = waiting.get(key);
      if (rows) rows.push(row);
      else waiting.set(key, [row]);
      rowsWaiting += 1;
      if (rowsWaiting >= ROWS_MAX) await flush();
      return count.rows;
    },
    async finish() {
      await flush();
      return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
    },
    async read(place) {
      const found = stages(db)
        .find({ _id: keysBelow(placeOf(place)) }, READ)
        .sort({ _id: 1 });
      const rows: StagedRow[] = [];
      for await (const stored of found) {
        // Written by flush only.
        const texts = JSON.parse(inflateRawSync(stored.rows).toString('utf8')) as [
          number,
          string,
          SetId,
          AnyRow,
        ][];
        for (const [number, key, set, row] of texts) {
          rows.push({ number, key, set, row: reviveRow(row, set) });
        }
      }
      return rows;
    },
    async clear() {
      waiting.clear();
      await stages(db).deleteMany({ _id: keysBelow(`${link}.${id}`) });
    },
  };
}
