import { type Day, type Figures, monthOf } from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import { encodeId } from './keys.ts';
import type { AuthorizedLink } from './links.ts';
import { readFigures, type StoredFigures } from './stat-days.ts';

/** `<link>.d.<ad>.<yyyy-mm>`: the totals of an ad by day of the month, with the run they were sealed from. */
export interface AdMonthDoc {
  _id: string;
  tenant: string;
  d: Record<string, { r: number; t: StoredFigures }>;
}

export function adMonths({ db }: Database): Collection<AdMonthDoc> {
  return db.collection<AdMonthDoc>('adMonths');
}

export function adMonthKey(link: string, ad: string, month: string): string {
  return `${link}.d.${encodeId(ad)}.${month}`;
}

/** The stored days of one ad over an inclusive range; a collected day that is absent is a day of zeros. */
export async function findAdDays(
  db: Database,
  link: AuthorizedLink,
  { ad, from, to }: { ad: string; from: Day; to: Day },
): Promise<Map<Day, Figures>> {
  const key = (day: Day) => adMonthKey(link._id, ad, monthOf(day));
  const months = await adMonths(db)
    .find({ _id: { $gte: key(from), $lte: key(to) } }, { ...READ, sort: { _id: 1 } })
    .toArray();
  const days = new Map<Day, Figures>();
  for (const { _id, d } of months) {
    for (const [dayOfMonth, { t }] of Object.entries(d)) {
      const day = `${_id.slice(-7)}-${dayOfMonth}`;
      if (day >= from && day <= to) days.set(day, readFigures(t));
    }
  }
  return days;
}
