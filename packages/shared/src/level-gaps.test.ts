import fc from 'fast-check';
import { type Cell, CHANNELS, type ChannelType, LEVELS, type Level, sourcesOf } from './index.ts';
import { addLevelSums, type LevelSums, levelGaps, levelSums } from './level-gaps.ts';
import { type Figures, mergeFigures, SUM_POSITIONS, zeroFigures } from './metrics.ts';
import { type SealedMark, sealTag } from './sealed.ts';

const DAY = '2026-11-02';
const AT = Date.parse('2026-11-02T12:00:00Z');
const account = { id: 'link.77', zone: 'Asia/Seoul' };

/** A day whose levels were all read and sealed, with what their entities add up to. */
function dayOf(
  type: ChannelType,
  sums: Partial<Record<Level, LevelSums>>,
  fetchedAt: (level: Level) => number = () => AT,
) {
  const channel = CHANNELS[type];
  const cells = new Map<string, Cell>();
  for (const level of LEVELS) {
    for (const { id } of sourcesOf(channel, level)) {
      const at = fetchedAt(level);
      cells.set(id, { state: 'ok', run: 1, base: 1, fetchedAt: at, triedAt: at });
    }
  }
  const input = { channel, account, day: DAY, cells };
  const marks = (Object.entries(sums) as [Level, LevelSums][]).map(([level, ofLevel]) => {
    const mark: SealedMark = { run: 1, tag: sealTag(input, level) ?? '', sums: ofLevel };
    return [level, mark] as const;
  });
  return { ...input, sealed: Object.fromEntries(marks) as Partial<Record<Level, SealedMark>> };
}

const sums = (impressions: number, spend = 0) => [impressions, 0, 0, 0, spend, null] as LevelSums;

describe('levelGaps', () => {
  it('names by how much a level stays below or above the one above it, metric by metric', () => {
    const day = dayOf('SOCIAL_ADS', {
      a: sums(100, 5),
      c: sums(90, 5),
      g: sums(95, 7),
      d: sums(95, 7),
    });
    expect(levelGaps(day)).toEqual([
      { level: 'c', above: 'a', metrics: { impressions: -10 }, isLagging: false },
      { level: 'g', above: 'c', metrics: { impressions: 5, spend: 2 }, isLagging: false },
    ]);
  });

  it('names none where a level is not sealed, is being sealed, or adds up', () => {
    expect(levelGaps(dayOf('SOCIAL_ADS', { a: sums(100), g: sums(1) }))).toEqual([]);
    const day = dayOf('SOCIAL_ADS', { a: sums(100), c: sums(90) });
    expect(levelGaps(day)).toHaveLength(1);
    const { c } = day.sealed;
    if (!c) throw new Error('no mark');
    expect(levelGaps({ ...day, sealed: { ...day.sealed, c: { ...c, isUnderWay: true } } })).toEqual(
      [],
    );
    const { sums: _, ...older } = c;
    expect(levelGaps({ ...day, sealed: { ...day.sealed, c: older } })).toEqual([]);
    expect(levelGaps({ ...day, sealed: undefined })).toEqual([]);
  });

  it('begins below the highest level that the channel has', () => {
    const day = dayOf('PORTAL1_SEARCH_AD', { a: sums(1), c: sums(100), g: sums(99), d: sums(99) });
    expect(levelGaps(day).map(({ level, above }) => [level, above])).toEqual([['g', 'c']]);
  });

  it('compares only what both levels support', () => {
    const upper: LevelSums = [100, 1, null, null, 5, null];
    const lower: LevelSums = [100, 1, 7, 8, 5, 9];
    expect(levelGaps(dayOf('PORTAL2_KEYWORD', { a: upper, c: lower }))).toEqual([]);
  });

  it('says where the levels were not read at one moment', () => {
    const apart = (level: Level) => AT + (level === 'g' ? 3_600_000 : 0);
    const day = dayOf('SOCIAL_ADS', { a: sums(100), c: sums(90), g: sums(95) }, apart);
    expect(levelGaps(day).map(({ level, isLagging }) => [level, isLagging])).toEqual([
      ['c', false],
      ['g', true],
    ]);
  });
});

describe('levelSums', () => {
  const metrics = ['impressions', 'clicks', 'spend', 'conversions', 'amount'] as const;
  const arbitrary = fc.tuple(
    ...metrics.map(() =>
      fc
        .bigInt({ min: 0n, max: 2n ** 60n })
        .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value)),
    ),
  );

  it('is what the entities come to when they are one', () => {
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 6 }), (entities) => {
        const totals = entities.map(
          ([impressions, clicks, spend, conversions, amount]) =>
            [impressions, clicks, conversions, amount, spend, null, 5] as Figures,
        );
        const merged = totals.reduce(mergeFigures, zeroFigures(new Set(metrics)));
        expect(levelSums(totals, metrics)).toEqual(
          SUM_POSITIONS.map((position) => merged[position]),
        );
      }),
    );
  });

  it('is not known where it is beyond what is stored', () => {
    const half = 2n ** 62n;
    const totals: Figures[] = [
      [1, 1, 0, 0, half, null, 1],
      [1, 1, 0, 0, half, null, 1],
    ];
    expect(levelSums(totals, metrics)).toEqual([2, 2, 0, 0, null, null]);
  });
});

describe('addLevelSums', () => {
  const metrics = CHANNELS.PORTAL2_KEYWORD.sources.flatMap(({ fills }) => fills)[0]?.metrics ?? [];
  const figures = fc
    .array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { minLength: 6, maxLength: 6 })
    .map((values) => [...values.map((value) => Number(value)), null] as Figures);

  it('gives the sums of all entities from those of any two shares of them', () => {
    fc.assert(
      fc.property(fc.array(figures), fc.nat(), (all, cut) => {
        const [one, other] = [all.slice(0, cut), all.slice(cut)];
        expect(addLevelSums(levelSums(one, metrics), levelSums(other, metrics))).toEqual(
          levelSums(all, metrics),
        );
      }),
    );
  });

  it('does not know a sum of which one part is not known', () => {
    expect(addLevelSums([1, null, 3], [1, 2, null])).toEqual([2, null, null]);
  });
});
