import {
  type BlogDay,
  CHANNELS,
  hasDelivery,
  metricsOf,
  monthOf,
  zeroFigures,
} from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type AdMonthDoc, adMonthKey, adMonths } from './ad-months.ts';
import { type BlogMonthDoc, blogMonthKey, blogMonths } from './blog-months.ts';
import { type Database, READ } from './database.ts';
import { retryDuplicate } from './duplicate-key.ts';
import { entityIds, type SealedWork, type Writing } from './sealed-writes.ts';
import { readFigures, storeFigures } from './stat-days.ts';

const BATCH = 500;

/** A blog's day that the platform no longer gives, or gave nothing for. */
const NO_VISITS: BlogDay = {
  pageViews: 0,
  visitors: 0,
  visits: 0,
  averageDurationSeconds: 0,
  referrers: [],
  posts: [],
  neighbours: { mutual: 0, oneWay: 0, other: 0 },
};

/** Writes ads' totals into their months. */
export async function writeAdDays(db: Database, work: SealedWork): Promise<Writing> {
  return await writeMonths(work, adMonthsOf(work), {
    collection: adMonths(db),
    isSame: (a, b) => String(readFigures(a.t)) === String(readFigures(b.t)),
    isEmpty: ({ t }) => !hasDelivery(readFigures(t)),
  });
}

/** The months of all ads, a batch at a time. */
function* adMonthsOf({ account, days }: SealedWork): Generator<Months<AdMonthDoc['d'][string]>> {
  const zeros = zeroFigures(new Set(metricsOf(CHANNELS[account.channel], 'd')));
  const ofDays = days.map((sealed) => ({ ...sealed, ids: entityIds(sealed) }));
  const ids = new Set<string>();
  for (const day of ofDays) for (const id of day.ids) ids.add(id);
  const all = [...ids];
  for (let start = 0; start < all.length; start += BATCH) {
    const months: Months<AdMonthDoc['d'][string]> = new Map();
    for (const id of all.slice(start, start + BATCH)) {
      for (const { day, run, entities, ids } of ofDays) {
        if (!ids.has(id)) continue;
        const entry = { r: run, t: storeFigures(entities.sealEntity(id)?.totals ?? zeros) };
        put(months, adMonthKey(account.link, id, monthOf(day)), { day, entry });
      }
    }
    yield months;
  }
}

/** Writes blog days into their months. */
export async function writeBlogDays(db: Database, work: SealedWork): Promise<Writing> {
  const { account, days } = work;
  const months: Months<BlogMonthDoc['d'][string]> = new Map();
  for (const { day, run, blog } of days) {
    const [value = NO_VISITS] = blog as BlogDay[]; // the blog's set holds blog days only
    put(months, blogMonthKey(account.link, monthOf(day)), { day, entry: { r: run, v: value } });
  }
  return await writeMonths(work, [months], {
    collection: blogMonths(db),
    isSame: (a, b) => JSON.stringify(a.v) === JSON.stringify(b.v),
    isEmpty: ({ v }) => JSON.stringify(v) === JSON.stringify(NO_VISITS),
  });
}

/** By document id: day of the month → entry. */
type Months<Entry> = Map<string, Record<string, Entry>>;

function put<Entry>(
  months: Months<Entry>,
  id: string,
  { day, entry }: { day: string; entry: Entry },
): void {
  const month = months.get(id) ?? {};
  months.set(id, month);
  month[day.slice(8)] = entry;
}

interface MonthDoc<Entry> {
  _id: string;
  tenant: string;
  d: Record<string, Entry>;
}

interface MonthStore<Entry> {
  collection: Collection<MonthDoc<Entry>>;
  isSame(a: Entry, b: Entry): boolean;
  /** True for an entry that says no more than its absence. */
  isEmpty(entry: Entry): boolean;
}

/** Writes the days that differ; `$max` compares their runs, so an older sealing never wins. */
async function writeMonths<Entry>(
  { account, standing, announce, pacer }: SealedWork,
  batches: Iterable<Months<Entry>>,
  { collection, isSame, isEmpty }: MonthStore<Entry>,
): Promise<Writing> {
  const { tenant } = account;
  let written = 0;
  for (const months of batches) {
    const known = await readMonths(collection, [...months.keys()]);
    const writes = [...months].flatMap(([_id, days]) => {
      const seen = known.get(_id) ?? {};
      const different = Object.entries(days).filter(([day, entry]) => {
        const old = seen[day];
        return old === undefined ? !isEmpty(entry) : !isSame(old, entry);
      });
      if (different.length === 0) return [];
      const max = Object.fromEntries(different.map(([day, entry]) => [`d.${day}`, entry]));
      const update = { $max: max, $setOnInsert: { tenant } };
      return [{ updateOne: { filter: { _id }, update, upsert: true } }];
    });
    await pacer.pause();
    if (writes.length === 0) continue;
    await announce();
    if ((await standing()).includes(false)) return { written, isDone: false };
    // biome-ignore lint/suspicious/noExplicitAny: the driver's types know no paths into a generic document.
    await retryDuplicate(() => collection.bulkWrite(writes as any, { ordered: false }));
    written += writes.length;
  }
  return { written, isDone: true };
}

async function readMonths<Entry>(
  collection: Collection<MonthDoc<Entry>>,
  ids: string[],
): Promise<Months<Entry>> {
  // biome-ignore lint/suspicious/noExplicitAny: as above; `_id` is text in every one of these collections.
  const found = await collection.find({ _id: { $in: ids } } as any, READ).toArray();
  return new Map(found.map(({ _id, d }) => [String(_id), d]));
}
