import { createHash, type Hash } from 'node:crypto';
import type { CoverageDoc } from './coverage.ts';
import type { Database } from './database.ts';
import { links } from './links.ts';
import { readFigures, type StoredFigures } from './stat-days.ts';

/** Names of links that are the same in every load of the same world: channel and order of creation. */
async function linkNames(db: Database): Promise<Map<string, string>> {
  const found = await links(db)
    .find({ deletedAt: { $exists: false } })
    .sort({ createdAt: 1, _id: 1 })
    .toArray();
  const counts = new Map<string, number>();
  return new Map(
    found.map(({ _id, type }) => {
      const count = (counts.get(type) ?? 0) + 1;
      counts.set(type, count);
      return [_id, `${type}#${count}`];
    }),
  );
}

/** What of a document counts: what is served and what was observed, not by which run or when. */
const COLLECTIONS: readonly { name: string; partsOf(doc: Stored): unknown[] }[] = [
  {
    name: 'statDays',
    partsOf: ({ t = [], z }) => [readFigures(t).map(String), z?.toString('base64')],
  },
  {
    name: 'adMonths',
    partsOf: ({ d = {} }) =>
      sorted(d).map(([day, entry]) => [
        day,
        readFigures((entry as { t: StoredFigures }).t).map(String),
      ]),
  },
  {
    name: 'blogMonths',
    partsOf: ({ d = {} }) => sorted(d).map(([day, entry]) => [day, (entry as { v: unknown }).v]),
  },
  { name: 'coverage', partsOf: ({ d = {} }) => sorted(d as CoverageDoc['d']).map(cellsOf) },
];

interface Stored {
  _id: string;
  t?: StoredFigures;
  z?: Buffer;
  d?: Record<string, unknown>;
}

function sorted<T>(record: Record<string, T>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function cellsOf([day, { sealed: _, ...cells }]: [string, CoverageDoc['d'][string]]): unknown[] {
  return [day, sorted(cells).map(([source, { o, w }]) => [source, w?.s, o?.g])];
}

export interface StoreHash {
  hash: string;
  documents: Record<string, number>;
}

/**
 * A hash over everything that is derived, and over the cells' states and digests: equal for two loads of the same
 * platform at the same moment, however they were disturbed.
 */
export async function storeHash(db: Database): Promise<StoreHash> {
  const names = await linkNames(db);
  const total = createHash('sha256');
  const documents: Record<string, number> = {};
  for (const { name, partsOf } of COLLECTIONS) {
    const lines: string[] = [];
    for await (const doc of db.db.collection<Stored>(name).find()) {
      const [link = '', ...rest] = doc._id.split('.');
      const named = names.get(link);
      if (named) lines.push(JSON.stringify([name, named, rest.join('.'), ...partsOf(doc)]));
    }
    documents[name] = lines.length;
    addSorted(total, lines);
  }
  return { hash: total.digest('hex'), documents };
}

/** Links are random ids, so the order of keys differs from load to load; the order of names does not. */
function addSorted(hash: Hash, lines: string[]): void {
  for (const line of lines.sort()) hash.update(`${line}\n`);
}
