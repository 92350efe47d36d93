import type { Millis } from '@tributary/shared';
import type { Collection } from 'mongodb';
import type { Database } from './database.ts';
import { retryDuplicate } from './duplicate-key.ts';
import { plainText } from './tenant-scope.ts';

/** What the processes of the API counted of one API key in one window of time. */
interface RequestCountDoc {
  /** `<id of the API key>.<epoch ms at which the window begins>` */
  _id: string;
  /** By process, so that telling a count twice changes nothing. */
  by: Record<string, number>;
  expireAt: Date;
}

/** Only a count: older than a moment it is worth less than a connection. */
const WITHIN = { timeoutMS: 2_000 } as const;
const KEPT_MS = 60_000;

function requestCounts({ db }: Database): Collection<RequestCountDoc> {
  return db.collection<RequestCountDoc>('requestCounts');
}

export interface OwnCounts {
  /** Names the process: letters and digits. */
  instance: string;
  /** Epoch ms at which the window begins. */
  windowStart: Millis;
  windowEnd: Millis;
  /** How many requests this process admitted in the window, by the id of the API key. */
  counts: ReadonlyMap<string, number>;
}

/**
 * Tells what one process counted and learns what the others did: one bulk write and one query, however many keys there are.
 *
 * @returns the sum of all other processes, by the id of the API key
 */
export async function exchangeRequestCounts(
  db: Database,
  { instance, windowStart, windowEnd, counts }: OwnCounts,
): Promise<Map<string, number>> {
  const idOf = (key: string) => `${plainText('key', key)}.${windowStart}`;
  const expireAt = new Date(windowEnd + KEPT_MS);
  const writes = [...counts].map(([key, count]) => ({
    updateOne: {
      filter: { _id: idOf(key) },
      update: { $max: { [`by.${instance}`]: count }, $setOnInsert: { expireAt } },
      upsert: true,
    },
  }));
  if (writes.length === 0) return new Map();
  const options = { ordered: false, writeConcern: { w: 1 }, ...WITHIN } as const;
  // biome-ignore lint/suspicious/noExplicitAny: the driver's types know no path below a record.
  await retryDuplicate(() => requestCounts(db).bulkWrite(writes as any, options));
  const wanted = { _id: { $in: [...counts.keys()].map(idOf) } };
  const found = await requestCounts(db)
    .find(wanted, { ...WITHIN, batchSize: counts.size + 1 })
    .toArray();
  return new Map(
    found.map(({ _id, by }) => [
      _id.slice(0, _id.lastIndexOf('.')),
      Object.entries(by).reduce((sum, [of, count]) => (of === instance ? sum : sum + count), 0),
    ]),
  );
}
