import type { Day, Exact, Figures, ListedLevel } from '@tributary/shared';
import { BSON, type Collection, Long } from 'mongodb';
import { type Database, READ } from './database.ts';
import { encodeId } from './keys.ts';
import type { AuthorizedLink } from './links.ts';

/** Figures as stored: whole numbers in the order of an observation row. */
export type StoredFigures = (Long | null)[];

/** `<link>.<level>.<entity>.<yyyy-mm-dd>`: one entity's day as it is sent. */
export interface StatDayDoc {
  _id: string;
  tenant: string;
  t: StoredFigures;
  /** Raw deflate of the breakdown object, flushed to a byte boundary. */
  z: Buffer;
  /** Length of the plain text. */
  n: number;
  /** CRC-32 of the plain text, and what moves a CRC over it. */
  c: number;
  o: number;
  /** Hash of the plain text. */
  h: string;
  /** Highest run that it was sealed from. */
  i: number;
  /** Version of the sealing. */
  sv: number;
}

/** A sealed day as the API joins it. */
export interface StatDay {
  date: Day;
  z: Buffer;
  n: number;
  c: number;
  o: number;
  h: string;
}

export function statDays({ db }: Database): Collection<StatDayDoc> {
  return db.collection<StatDayDoc>('statDays');
}

export function statDayKey(link: string, level: ListedLevel, entity: string, day: Day): string {
  return `${link}.${level}.${encodeId(entity)}.${day}`;
}

/** Most days of one answer, with room: a range is read in one batch where the server allows. */
const BATCH = 402;

export interface EntityRange {
  level: ListedLevel;
  /** The platform's id; the ad account's own at level a. */
  entity: string;
  from: Day;
  to: Day;
}

/** The sealed days of one entity, ascending. A collected day without a document is a day of zeros. */
export async function findStatDays(
  db: Database,
  link: AuthorizedLink,
  { level, entity, from, to }: EntityRange,
): Promise<StatDay[]> {
  const key = (day: Day) => statDayKey(link._id, level, entity, day);
  const found = await statDays(db)
    .find<Uint8Array>(
      { _id: { $gte: key(from), $lte: key(to) } },
      {
        ...READ,
        projection: { z: 1, n: 1, c: 1, o: 1, h: 1 },
        batchSize: BATCH,
        sort: { _id: 1 },
        // Read whole, the driver's own way into each document costs more than the rest of reading a range.
        raw: true,
      },
    )
    .toArray();
  return found.map((bytes) => {
    const fields = BSON.deserialize(bytes, { promoteBuffers: true });
    const { _id, ...day } = fields as Pick<StatDayDoc, '_id' | 'z' | 'n' | 'c' | 'o' | 'h'>; // as projected
    return { date: _id.slice(-10), ...day };
  });
}

/** @throws RangeError for a figure beyond 64 bits, of which the driver would store another number */
export function storeFigures(figures: readonly (Exact | null)[]): StoredFigures {
  return figures.map((value) => {
    if (value === null) return null;
    if (typeof value === 'number') return Long.fromNumber(value);
    const stored = Long.fromBigInt(value);
    if (stored.toBigInt() !== value) {
      throw new RangeError(`The figure '${value}' is beyond 64 bits`);
    }
    return stored;
  });
}

/** The driver gives safe whole numbers as `number` and others as `Long`. */
export function readFigures(stored: readonly (Long | number | null)[]): Figures {
  return stored.map((value) => (value instanceof Long ? exactOf(value) : value)) as Figures;
}

function exactOf(value: Long): Exact {
  const big = value.toBigInt();
  const narrow = Number(big);
  return Number.isSafeInteger(narrow) ? narrow : big;
}
