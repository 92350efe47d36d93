import type { Dimension } from './channels.ts';
import type { Level } from './levels.ts';
import type { Figures } from './metrics.ts';

/** `base` = the totals; else one breakdown list. */
export type Part = 'base' | Dimension;

/** Level and part of stored rows: `c-age`. */
export type SetId = `${Level}-${Part}` | 'blog';

/**
 * One row of a platform's answer in our units: ids down to the row's level ('' below it), the dimension's value in our
 * words ('' in the totals), then the {@link Figures}.
 */
export type ObservationRow = [
  campaign: string,
  adGroup: string,
  ad: string,
  value: string,
  ...figures: Figures,
];

/** Position of the first figure in an {@link ObservationRow}. */
export const FIRST_FIGURE = 4;

/** The entity a row of a set belongs to; the account's own rows carry no id and answer ''. */
export function entityOf(row: ObservationRow, level: Level): string {
  return level === 'a' ? '' : level === 'c' ? row[0] : level === 'g' ? row[1] : row[2];
}

/** One day of the blog channel as observed: counts, never percentages. */
export interface BlogDay {
  pageViews: number;
  visitors: number;
  visits: number;
  averageDurationSeconds: number;
  referrers: {
    id?: string | undefined;
    title: string;
    count: number;
    detail: { title: string; count: number }[];
  }[];
  posts: { id: string; title: string; views: number; type: string; writtenOn: string }[];
  neighbours: { mutual: number; oneWay: number; other: number };
}

/** Rows of one set and day as collected; the blog's set holds exactly one {@link BlogDay}. */
export interface Observed {
  day: string;
  set: SetId;
  rows: readonly (ObservationRow | BlogDay)[];
}
