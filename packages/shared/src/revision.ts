import type { Channel, Source } from './channels.ts';
import type { Exact } from './exact.ts';
import { type Figures, metricNumber, STORED_METRICS, zeroFigures } from './metrics.ts';
import type { BlogDay, ObservationRow, SetId } from './observation.ts';
import { addTotals, metricsOf } from './seal.ts';
import type { SealedPart } from './sealed.ts';

/** One entity's totals: an ad's figures in the order of an observation row, or the blog's in {@link BLOG_TOTALS}'. */
export type RevisedValues = readonly (Exact | null)[];

/** An entity whose totals changed; '' is the account itself. */
export type RevisedEntity = [entity: string, before: RevisedValues, after: RevisedValues];

/** A blog day's totals by the names of the interface. */
const BLOG_TOTALS: Readonly<Record<string, (day: BlogDay) => number>> = {
  visit_pv_cnt: ({ pageViews }) => pageViews,
  uv_cnt: ({ visitors }) => visitors,
  visit_cnt: ({ visits }) => visits,
  average_duration: ({ averageDurationSeconds }) => averageDurationSeconds,
  both_way_neighborhood: ({ neighbours }) => neighbours.mutual,
  one_way_neighborhood: ({ neighbours }) => neighbours.oneWay,
  other: ({ neighbours }) => neighbours.other,
};

/** The totals that a source gives, by level and entity: added up as the rows are given, in any order. */
export interface ReadingTotals {
  add(set: SetId, rows: readonly (ObservationRow | BlogDay)[]): void;
  readonly levels: ReadonlyMap<SealedPart, ReadonlyMap<string, RevisedValues>>;
}

/** Totals are summed upward as sealing does. */
export function createReadingTotals(channel: Channel, { fills }: Source): ReadingTotals {
  if (channel.kind === 'blog') return createBlogTotals();
  const bases = fills.filter(({ part }) => part === 'base');
  const levels = new Map(bases.map(({ level }) => [level, new Map<string, Figures>()]));
  return {
    levels,
    add(set, rows) {
      for (const fill of bases) {
        const totals = fill.from === set && levels.get(fill.level);
        // Only the blog's set holds other rows.
        if (totals) addTotals(totals, rows as ObservationRow[], { level: fill.level, fill });
      }
    },
  };
}

function createBlogTotals(): ReadingTotals {
  const totals = new Map<string, RevisedValues>();
  return {
    levels: new Map([['blog', totals]]),
    add(_, rows) {
      for (const day of rows as BlogDay[]) // the blog's set holds blog days only
        totals.set(
          '',
          Object.values(BLOG_TOTALS).map((of) => of(day)),
        );
    },
  };
}

/**
 * What a new reading changes of the totals, level by level. A level without a change is absent; an entity that one of the
 * readings does not have has zeros there.
 */
export function revisedTotals(
  channel: Channel,
  before: ReadingTotals,
  after: ReadingTotals,
): Map<SealedPart, RevisedEntity[]> {
  const revised = new Map<SealedPart, RevisedEntity[]>();
  for (const [part, totals] of after.levels) {
    const zero = part === 'blog' ? [] : zeroFigures(new Set(metricsOf(channel, part)));
    const rows = differing(before.levels.get(part) ?? new Map(), totals, zero);
    if (rows.length > 0) revised.set(part, rows);
  }
  return revised;
}

function differing(
  before: ReadonlyMap<string, RevisedValues>,
  after: ReadonlyMap<string, RevisedValues>,
  zero: RevisedValues,
): RevisedEntity[] {
  const rows: RevisedEntity[] = [];
  for (const entity of new Set([...before.keys(), ...after.keys()])) {
    const [old, young] = [before.get(entity) ?? zero, after.get(entity) ?? zero];
    const length = Math.max(old.length, young.length);
    const isSame = Array.from({ length }, (_, index) => old[index] === young[index]).every(Boolean);
    if (!isSame) rows.push([entity, old, young]);
  }
  return rows;
}

/** Revised values as they are sent: numbers by the interface's names, null where not supported. */
export function namedValues(
  part: SealedPart,
  values: RevisedValues,
): Record<string, number | null> {
  if (part === 'blog') {
    return Object.fromEntries(
      Object.keys(BLOG_TOTALS).map((name, index) => [name, Number(values[index] ?? 0)]),
    );
  }
  return Object.fromEntries(
    STORED_METRICS.map((metric, index) => {
      const value = values[index] ?? null;
      return [metric, value === null ? null : metricNumber(metric, value)];
    }),
  );
}
