import { fillOf } from './channels.ts';
import { add, compareExact, type Exact, subtract } from './exact.ts';
import { LEVELS, type Level } from './levels.ts';
import { type Figures, STORED_METRICS, type StoredMetric, SUM_POSITIONS } from './metrics.ts';
import { type DayInput, pairState, type SealedMark, type SealedPart, sealTag } from './sealed.ts';

/** One value per additive metric, in the order of {@link SUM_POSITIONS}; null = not supported or not known. */
export type LevelSums = readonly (Exact | null)[];

/** The store holds whole numbers of 64 bits. */
const STORED_MAX = 2n ** 63n - 1n;

/** What the entities of a level add up to: the additive metrics only. */
export function levelSums(totals: Iterable<Figures>, metrics: readonly StoredMetric[]): LevelSums {
  const sums: (Exact | null)[] = SUM_POSITIONS.map((position) =>
    metrics.includes(STORED_METRICS[position]) ? 0 : null,
  );
  for (const figures of totals) {
    SUM_POSITIONS.forEach((position, index) => {
      const sum = sums[index] ?? null;
      if (sum !== null) sums[index] = add(sum, figures[position] ?? 0);
    });
  }
  return sums.map(orUnknown);
}

/** The sums of two disjoint groups of entities; null where one of them is not known. */
export function addLevelSums(a: LevelSums, b: LevelSums): LevelSums {
  return a.map((sum, index) => {
    const more = b[index] ?? null;
    return sum === null || more === null ? null : orUnknown(add(sum, more));
  });
}

function orUnknown(sum: Exact | null): Exact | null {
  return sum === null || isStorable(sum) ? sum : null;
}

function isStorable(sum: Exact): boolean {
  return compareExact(sum, STORED_MAX) <= 0 && compareExact(sum, -STORED_MAX) >= 0;
}

/** By how much a level's entities add up to something else than those of the level above. */
export interface LevelGap {
  level: Level;
  above: Level;
  /** This level minus the one above: below zero where entities lack here. Metrics that agree are left out. */
  metrics: Partial<Record<StoredMetric, Exact>>;
  /** The two levels were not read at one moment: a part of it may be what was delivered in between. */
  isLagging: boolean;
}

export interface LevelGapsInput extends DayInput {
  sealed: Partial<Record<SealedPart, SealedMark>> | undefined;
}

/**
 * The gaps between the levels of a day as it is served. Platforms do not promise that levels add up: campaigns without ad
 * groups, ads that were deleted. Levels that are not collected, or are being sealed, have none.
 */
export function levelGaps(input: LevelGapsInput): LevelGap[] {
  const levels = LEVELS.flatMap((level) => {
    const base = fillOf(input.channel, level, 'base');
    return base ? [{ level, source: base.source }] : [];
  });
  return levels.slice(1).flatMap(({ level, source }, index) => {
    const above = levels[index];
    if (!above) return [];
    const metrics = differences(sumsOf(input, level), sumsOf(input, above.level));
    if (Object.keys(metrics).length === 0) return [];
    const isOfOneMoment =
      pairState(input, above.source, source) === 'joined' &&
      [level, above.level].every((part) => sealTag(input, part) === input.sealed?.[part]?.tag);
    return [{ level, above: above.level, metrics, isLagging: !isOfOneMoment }];
  });
}

function sumsOf({ sealed }: LevelGapsInput, level: Level): LevelSums {
  const mark = sealed?.[level];
  return mark?.isUnderWay ? [] : (mark?.sums ?? []);
}

function differences(sums: LevelSums, above: LevelSums): LevelGap['metrics'] {
  const metrics: LevelGap['metrics'] = {};
  SUM_POSITIONS.forEach((position, index) => {
    const [own, higher] = [sums[index] ?? null, above[index] ?? null];
    if (own === null || higher === null) return;
    const difference = subtract(own, higher);
    if (difference !== 0) metrics[STORED_METRICS[position]] = difference;
  });
  return metrics;
}
