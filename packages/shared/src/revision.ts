import type { Channel, Source } from './channels.ts';
import { decimalFromMicros, type Exact } from './exact.ts';
import { METRICS, STORED_METRICS, zeroFigures } from './metrics.ts';
import type { BlogDay, ObservationRow, SetId } from './observation.ts';
import { sumTotals } from './seal.ts';
import type { SealedPart } from './sealed.ts';

/** One entity's totals: an ad's figures in the order of an observation row, or the blog's in {@link BLOG_TOTALS}'. */
export type RevisedValues = readonly (Exact | null)[];

/** An entity whose totals changed; '' is the account itself. */
export type RevisedEntity = [entity: string, before: RevisedValues, after: RevisedValues];

/** The rows of one reading of a source and day, by set. */
export type ReadingRows = ReadonlyMap<SetId, readonly (ObservationRow | BlogDay)[]>;

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

/**
 * What a new reading changes of the totals that a source gives, level by level, summed upward as sealing does. A level
 * without a change is absent; an entity that one of the readings does not have has zeros there.
 */
export function revisedTotals(
  channel: Channel,
  source: Source,
  { before, after }: { before: ReadingRows; after: ReadingRows },
): Map<SealedPart, RevisedEntity[]> {
  const revised = new Map<SealedPart, RevisedEntity[]>();
  const put = (part: SealedPart, rows: RevisedEntity[]) => {
    if (rows.length > 0) revised.set(part, rows);
  };
  if (channel.kind === 'blog') put('blog', differing(blogTotals(before), blogTotals(after), []));
  for (const fill of source.fills) {
    if (fill.part !== 'base') continue;
    const totals = (sets: ReadingRows) =>
      sumTotals({ sets: sets as ReadonlyMap<SetId, ObservationRow[]>, level: fill.level }, fill); // no blog's rows
    const zero = zeroFigures(new Set(fill.metrics));
    put(fill.level, differing(totals(before), totals(after), zero));
  }
  return revised;
}

function blogTotals(sets: ReadingRows): Map<string, RevisedValues> {
  const days = (sets.get('blog') ?? []) as readonly BlogDay[]; // the blog's set holds blog days only
  return new Map(days.map((day) => ['', Object.values(BLOG_TOTALS).map((of) => of(day))]));
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
      if (value === null) return [metric, null];
      const isMoney = METRICS[metric].unit === 'micros';
      return [metric, Number(isMoney ? decimalFromMicros(value) : value)];
    }),
  );
}
