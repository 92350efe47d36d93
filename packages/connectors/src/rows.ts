import {
  type Day,
  type Figures,
  mergeFigures,
  type ObservationRow,
  type Observed,
  type SetId,
} from '@tributary/shared';

/** One row of a platform, a feed or an import in our units and words. */
export interface NormalizedRow<Row = ObservationRow> {
  day: Day;
  row: Row;
  /** What makes it the same row as another; coming twice means that the answer is broken. */
  key: string;
}

/** Adds up two rows of one place and value; see {@link mergeFigures}. */
export function mergeRows(a: ObservationRow, b: ObservationRow): ObservationRow {
  const [campaign, adGroup, ad, value, ...figures] = a;
  const [, , , , ...others] = b;
  return [campaign, adGroup, ad, value, ...mergeFigures(figures satisfies Figures, others)];
}

/** Rows of one set by their days, in the order in which they came. */
export function byDay(rows: readonly { day: Day; row: ObservationRow }[], set: SetId): Observed[] {
  const days = new Map<Day, ObservationRow[]>();
  for (const { day, row } of rows) {
    const list = days.get(day);
    if (list) list.push(row);
    else days.set(day, [row]);
  }
  return [...days].map(([day, list]) => ({ day, set, rows: list }));
}
