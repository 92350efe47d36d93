import { type BlogDay, type Day, monthOf } from '@tributary/shared';
import type { Collection } from 'mongodb';
import { type Database, READ } from './database.ts';
import type { AuthorizedLink } from './links.ts';

/** `<link>.<yyyy-mm>`: the blog's days by day of the month, with the run they were sealed from. */
export interface BlogMonthDoc {
  _id: string;
  tenant: string;
  d: Record<string, { r: number; v: BlogDay }>;
}

export function blogMonths({ db }: Database): Collection<BlogMonthDoc> {
  return db.collection<BlogMonthDoc>('blogMonths');
}

export function blogMonthKey(link: string, month: string): string {
  return `${link}.${month}`;
}

/** The stored days of a link's blog over an inclusive range; a collected day that is absent had no visits. */
export async function findBlogDays(
  db: Database,
  link: AuthorizedLink,
  from: Day,
  to: Day,
): Promise<Map<Day, BlogDay>> {
  const months = await blogMonths(db)
    .find(
      {
        _id: {
          $gte: blogMonthKey(link._id, monthOf(from)),
          $lte: blogMonthKey(link._id, monthOf(to)),
        },
      },
      { ...READ, sort: { _id: 1 } },
    )
    .toArray();
  const days = new Map<Day, BlogDay>();
  for (const { _id, d } of months) {
    for (const [dayOfMonth, { v }] of Object.entries(d)) {
      const day = `${_id.slice(-7)}-${dayOfMonth}`;
      if (day >= from && day <= to) days.set(day, v);
    }
  }
  return days;
}
