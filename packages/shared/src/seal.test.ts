import fc from 'fast-check';
import {
  CHANNEL_TYPES,
  CHANNELS,
  type Channel,
  type Dimension,
  fillOf,
  sourcesOf,
} from './channels.ts';
import { decimalFromMicros, exact } from './exact.ts';
import { LEVELS, type Level } from './levels.ts';
import { METRICS, STORED_METRICS, type StoredMetric } from './metrics.ts';
import { FIRST_FIGURE, type ObservationRow, type SetId } from './observation.ts';
import { createSealing, metricsOf, seal, zeroDay } from './seal.ts';
import { testRuns } from './test-runs.ts';

const DATE = '2026-11-02';
const adChannels = CHANNEL_TYPES.map((type) => CHANNELS[type]).filter(({ kind }) => kind === 'ads');

type Entry = Record<string, unknown> & { data: Record<string, number | null> };
type DayJson = { date: string; total: Entry['data'] } & Record<string, Entry[]>;

interface Drawn {
  channel: Channel;
  level: Level;
  sets: Map<SetId, ObservationRow[]>;
  lagging: Set<Dimension>;
}

const WORDS = [
  'unknown',
  '18-24',
  '25-34',
  '00',
  '23',
  'a',
  'B',
  '한',
  '\u{1F34E}',
  '\uFF21',
  '"\\',
  '',
];
const money = fc.oneof(fc.nat({ max: 30_000_000 }), fc.constantFrom(0, 1));
const counts = fc.oneof(fc.nat({ max: 5000 }), fc.constant(0));

const drawnRow = fc.record({
  campaign: fc.nat({ max: 1 }),
  group: fc.nat({ max: 1 }),
  ad: fc.nat({ max: 1 }),
  word: fc.constantFrom(...WORDS),
  sums: fc.tuple(counts, counts, money, money, money, counts),
  reach: fc.option(counts),
});

/** A row as a connector makes it: ids down to its level, a value only in lists. */
function rowOf(drawn: DrawnRow, set: SetId, scale: number): ObservationRow {
  const level = set[0] as Level; // ad channels' sets begin with their level
  const depth = LEVELS.indexOf(level);
  const campaign = `c${drawn.campaign}`;
  const group = `${campaign}g${drawn.group}`;
  const ids = [campaign, group, `${group}d${drawn.ad}`].map((id, index) =>
    index < depth ? id : '',
  );
  const [campaignId = '', groupId = '', adId = ''] = ids;
  const value = set.endsWith('-base') ? '' : drawn.word;
  const [impressions, clicks, conversions, amount, spend, rimp] = drawn.sums.map(
    (sum) => sum * scale,
  );
  return [
    campaignId,
    groupId,
    adId,
    value,
    impressions ?? 0,
    clicks ?? 0,
    conversions ?? 0,
    amount ?? 0,
    spend ?? 0,
    rimp ?? 0,
    drawn.reach,
  ];
}

interface DrawnRow {
  campaign: number;
  group: number;
  ad: number;
  word: string;
  sums: number[];
  reach: number | null;
}

/** Any channel and level with rows of any of its sets; totals that are mostly large enough for the lists. */
const days: fc.Arbitrary<Drawn> = fc
  .record({
    channel: fc.constantFrom(...adChannels),
    level: fc.constantFrom(...LEVELS),
    rows: fc.array(fc.array(drawnRow, { maxLength: 8 }), { minLength: 8, maxLength: 8 }),
    scale: fc.constantFrom(0, 1, 20, 20, 20),
    absent: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    lagging: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  })
  .map(({ channel, level, rows, scale, absent, lagging }) => {
    const fills = sourcesOf(channel, level).flatMap((source) => source.fills);
    const ids = [...new Set(fills.filter((fill) => fill.level === level).map(({ from }) => from))];
    const sets = new Map<SetId, ObservationRow[]>();
    for (const [index, set] of ids.entries()) {
      const isTotal = set.endsWith('-base');
      if (!isTotal && absent[index] && lagging[0]) continue;
      sets.set(
        set,
        (rows[index] ?? []).map((row) => rowOf(row, set, isTotal ? scale : 1)),
      );
    }
    return {
      channel,
      level,
      sets,
      lagging: new Set(channel.lists.filter((_, index) => lagging[index])),
    };
  });

const positions = STORED_METRICS.map((metric, index) => ({ metric, at: FIRST_FIGURE + index }));
const additive = positions.filter(({ metric }) => METRICS[metric].kind === 'sum');
const idAt: Record<Level, (row: ObservationRow) => string> = {
  a: () => '',
  c: (row) => row[0],
  g: (row) => row[1],
  d: (row) => row[2],
};

/** The sum of one metric over rows, with numbers of another kind than the code under test uses. */
const sumOf = (rows: readonly ObservationRow[], at: number) =>
  rows.reduce((sum, row) => sum + BigInt((row[at] as number | null) ?? 0), 0n);
const isDelivered = (row: ObservationRow, metrics: readonly StoredMetric[]) =>
  positions.some(({ metric, at }) => metrics.includes(metric) && (row[at] ?? 0) !== 0);
/** As it should be sent: millionths as decimals, counts as they are. */
const sent = (metric: StoredMetric, value: bigint) =>
  METRICS[metric].unit === 'micros' ? Number(decimalFromMicros(exact(value))) : Number(value);
const wordOf = (entry: Entry, list: string) => String(entry[list]);

function sealed({ channel, level, sets, lagging }: Drawn) {
  return seal({ channel, level, date: DATE, sets, lagging });
}

describe('a sealed level of a day', () => {
  it('has the delivering entities, each with the sums of its rows and null where nothing is supported', () => {
    fc.assert(
      fc.property(days, (drawn) => {
        const { channel, level, sets } = drawn;
        const totalFill = fillOf(channel, level, 'base')?.fill;
        const { entities } = sealed(drawn);
        if (!totalFill) return expect(entities.size).toBe(0);
        const all = [...sets].flatMap(([set, rows]) => {
          const fill = sourcesOf(channel, level)
            .flatMap(({ fills }) => fills)
            .find((one) => one.from === set && one.level === level);
          const delivered = rows
            .filter((row) => isDelivered(row, fill?.metrics ?? []))
            .map(idAt[level]);
          // The reach of several rows is not known: alone it makes no delivery of their sum.
          return set !== totalFill.from
            ? delivered
            : delivered.filter((id) => {
                const own = rows.filter((row) => idAt[level](row) === id);
                const hasSum = additive.some(
                  ({ metric, at }) => totalFill.metrics.includes(metric) && sumOf(own, at) !== 0n,
                );
                return hasSum || own.length === 1;
              });
        });
        expect([...entities.keys()].sort()).toEqual([...new Set(all)].sort());
        for (const [id, { json, totals }] of entities) {
          const { total } = JSON.parse(json) as DayJson;
          const rows = (sets.get(totalFill.from) ?? []).filter((row) => idAt[level](row) === id);
          for (const { metric, at } of additive) {
            const isSupported = totalFill.metrics.includes(metric);
            const expected = isSupported ? sumOf(rows, at) : null;
            expect([id, metric, total[metric]]).toEqual([
              id,
              metric,
              expected === null ? null : sent(metric, expected),
            ]);
            expect(totals[at - FIRST_FIGURE]).toBe(expected === null ? null : Number(expected));
          }
          const only =
            rows.length === 1 ? rows[0]?.[FIRST_FIGURE + 6] : rows.length === 0 ? 0 : null;
          expect(total.reach).toBe(totalFill.metrics.includes('reach') ? only : null);
        }
      }),
      testRuns(500),
    );
  });

  it('is JSON of exactly date, total and the lists of the channel in their order, and the same for any order of rows', () => {
    fc.assert(
      fc.property(days, fc.nat(), (drawn, turn) => {
        const { entities, over } = sealed(drawn);
        for (const { json } of entities.values()) {
          const day = JSON.parse(json) as DayJson;
          const lists = drawn.level === 'd' ? [] : drawn.channel.lists;
          expect(Object.keys(day)).toEqual(['date', 'total', ...lists]);
          expect(day.date).toBe(DATE);
          expect(JSON.stringify(JSON.parse(json))).toBe(json);
        }
        const turned = new Map(
          [...drawn.sets].map(([set, rows]) => {
            const cut = rows.length === 0 ? 0 : turn % rows.length;
            return [set, [...rows.slice(cut), ...rows.slice(0, cut)].toReversed()] as const;
          }),
        );
        const again = sealed({ ...drawn, sets: turned });
        expect(again.entities).toEqual(entities);
        expect(again.over).toEqual(over);
      }),
      testRuns(500),
    );
  });

  it('has lists that add up to the total, or exceed it and say so; nothing is negative, lagging lists stay open', () => {
    const seen = { closed: 0, exceeded: 0 };
    fc.assert(
      fc.property(days, (drawn) => {
        const { channel, level, sets, lagging } = drawn;
        const { entities, over } = sealed(drawn);
        const exceeding = new Set<string>();
        for (const [id, { json }] of entities) {
          expect(json).not.toContain(':-');
          const day = JSON.parse(json) as DayJson;
          for (const list of channel.lists) {
            const entries = day[list] ?? [];
            const fill = fillOf(channel, level, list)?.fill;
            const rows = fill && sets.get(fill.from);
            if (!fill || !rows || level === 'd') {
              expect([list, entries]).toEqual([list, []]);
              continue;
            }
            const own = rows.filter(
              (row) => idAt[level](row) === id && isDelivered(row, fill.metrics),
            );
            const unattributed = entries.filter((entry) => wordOf(entry, list) === 'unattributed');
            if (lagging.has(list)) expect(unattributed).toEqual([]);
            const words = [...new Set(own.map((row) => row[3]))];
            expect(
              entries
                .filter((entry) => !unattributed.includes(entry))
                .map((entry) => wordOf(entry, list))
                .sort(),
            ).toEqual(words.sort());
            for (const { metric, at } of additive) {
              const values = entries.map(({ data }) => data[metric]);
              if (!fill.metrics.includes(metric)) {
                expect([list, metric, values.filter((value) => value !== null)]).toEqual([
                  list,
                  metric,
                  [],
                ]);
                continue;
              }
              for (const word of words) {
                const entry = entries.find((one) => wordOf(one, list) === word);
                const expected = sumOf(
                  own.filter((row) => row[3] === word),
                  at,
                );
                expect([list, metric, word, entry?.data[metric]]).toEqual([
                  list,
                  metric,
                  word,
                  sent(metric, expected),
                ]);
              }
              if (lagging.has(list)) continue;
              const total = sumOf(
                (sets.get(fillOf(channel, level, 'base')?.fill.from ?? 'blog') ?? []).filter(
                  (row) => idAt[level](row) === id,
                ),
                at,
              );
              const rest = total - sumOf(own, at);
              if (rest < 0n) exceeding.add(list);
              if (rest < 0n) seen.exceeded += 1;
              else seen.closed += 1;
              expect([list, metric, unattributed[0]?.data[metric] ?? 0]).toEqual([
                list,
                metric,
                rest > 0n ? sent(metric, rest) : 0,
              ]);
            }
          }
        }
        expect(Object.keys(over).sort()).toEqual([...exceeding].sort());
      }),
      testRuns(300),
    );
    expect(Math.min(seen.closed, seen.exceeded)).toBeGreaterThan(testRuns(300).numRuns / 4);
  });

  it('orders hours and ages upwards, other lists by spend, impressions and code point; unknown and unattributed last', () => {
    const rank = (word: string) => (word === 'unattributed' ? 2 : word === 'unknown' ? 1 : 0);
    const points = (word: string) =>
      Array.from(word, (one) => String(one.codePointAt(0)).padStart(8, '0')).join();
    fc.assert(
      fc.property(days, (drawn) => {
        for (const { json } of sealed(drawn).entities.values()) {
          const day = JSON.parse(json) as DayJson;
          for (const list of drawn.channel.lists) {
            const entries = day[list] ?? [];
            for (const [index, next] of entries.entries()) {
              const entry = entries[index - 1];
              if (!entry) continue;
              const [a, b] = [wordOf(entry, list), wordOf(next, list)];
              const isRanked = rank(a) !== rank(b);
              const keys = (word: string, { data }: Entry) =>
                list === 'hour' || list === 'age'
                  ? [0, 0, points(word)]
                  : [-(data.spend ?? 0), -(data.impressions ?? 0), points(word)];
              const [x, y] = [keys(a, entry), keys(b, next)];
              const at = x.findIndex((value, place) => value !== y[place]);
              const isAscending = at >= 0 && (x[at] ?? 0) < (y[at] ?? 0);
              expect([list, a, b, isRanked ? rank(a) < rank(b) : isAscending]).toEqual([
                list,
                a,
                b,
                true,
              ]);
            }
          }
        }
      }),
      testRuns(500),
    );
  });

  it('orders words of equal figures by code point, also where pairs and lone halves of surrogates meet', () => {
    const units = ['a', '\uD83C', '\uDF4E', '\uDF4F', '\u{1F34E}', '\uE000', '\uFFFF'];
    const words = fc.uniqueArray(fc.string({ unit: fc.constantFrom(...units), maxLength: 4 }));
    const points = (word: string) =>
      Array.from(word, (one) => String(one.codePointAt(0)).padStart(8, '0')).join();
    fc.assert(
      fc.property(words, (values) => {
        const rows = values.map(
          (value): ObservationRow => ['c1', 'g1', '', value, 1, 1, 0, 0, 1, null, null],
        );
        const { entities } = seal({
          channel: CHANNELS.SEARCH_ENGINE_ADS,
          level: 'g',
          date: DATE,
          sets: new Map<SetId, ObservationRow[]>([
            ['g-keyword', rows],
            ['g-base', [['c1', 'g1', '', '', 0, 0, 0, 0, 0, null, null]]],
          ]),
          lagging: new Set(),
        });
        const { keyword = [] } = JSON.parse(entities.get('g1')?.json ?? '{}') as DayJson;
        const sorted = [...values].sort((a, b) => (points(a) < points(b) ? -1 : 1));
        expect(keyword.map((entry) => wordOf(entry, 'keyword'))).toEqual(sorted);
      }),
      testRuns(300),
    );
  });

  it('adds up values of one word and no longer knows their reach, nor that of what is not attributed', () => {
    const list = (value: string, clicks: number): ObservationRow => [
      'c1',
      '',
      '',
      value,
      10,
      clicks,
      0,
      0,
      500_000,
      null,
      7,
    ];
    const sets = new Map<SetId, ObservationRow[]>([
      ['c-age', [list('18-24', 1), list('18-24', 2), list('25-34', 3)]],
      ['c-base', [['c1', '', '', '', 40, 6, 0, 0, 1_500_000, null, 20]]],
    ]);
    const { entities } = seal({
      channel: CHANNELS.SOCIAL_ADS,
      level: 'c',
      date: DATE,
      sets,
      lagging: new Set(),
    });
    const { age } = JSON.parse(entities.get('c1')?.json ?? '{}') as DayJson;
    expect(age?.map(({ age: word, data }) => [word, data.clicks, data.spend, data.reach])).toEqual([
      ['18-24', 3, 1, null],
      ['25-34', 3, 0.5, 7],
      ['unattributed', 0, 0, null],
    ]);
  });

  it('keeps what a platform itself calls unattributed', () => {
    const figures = [10, 1, 0, 0, 1_000_000, null, null] as const;
    const sets = new Map<SetId, ObservationRow[]>([
      ['g-keyword', [['c1', 'g1', '', 'unattributed', ...figures]]],
      ['g-base', [['c1', 'g1', '', '', 15, 3, 0, 0, 4_000_000, null, null]]],
    ]);
    const { entities } = seal({
      channel: CHANNELS.SEARCH_ENGINE_ADS,
      level: 'g',
      date: DATE,
      sets,
      lagging: new Set(),
    });
    const { keyword } = JSON.parse(entities.get('g1')?.json ?? '{}') as DayJson;
    expect(keyword).toEqual([
      {
        keyword: 'unattributed',
        data: expect.objectContaining({ impressions: 15, clicks: 3, spend: 4 }),
      },
    ]);
  });

  it('leaves a metric null in a list whose day was read when the platform no longer told it, and only there', () => {
    const row = (value: string, conversions: number | null, amount: number | null) =>
      ['c1', 'g1', '', value, 10, 1, conversions, amount, 500_000, null, null] as ObservationRow;
    const sets = (...hours: ObservationRow[]) =>
      new Map<SetId, ObservationRow[]>([
        ['g-hour', hours],
        ['g-device', [row('mobile', 2_000_000, 7_000_000)]],
        ['d-base', [['c1', 'g1', 'd1', '', 30, 3, 2_000_000, 9_000_000, 2_000_000, null, null]]],
      ]);
    const input = {
      channel: CHANNELS.PORTAL1_SEARCH_AD,
      level: 'c',
      date: DATE,
      lagging: new Set<Dimension>(),
    } as const;
    const { entities } = seal({
      ...input,
      sets: sets(row('09', null, null), row('10', null, null)),
    });
    const day = JSON.parse(entities.get('c1')?.json ?? '{}') as DayJson;
    const told = (list: string) =>
      day[list]?.map((entry) => [
        wordOf(entry, list),
        entry.data.clicks,
        entry.data.conversions,
        entry.data.amount,
      ]);
    expect(told('hour')).toEqual([
      ['09', 1, null, null],
      ['10', 1, null, null],
      ['unattributed', 1, null, null],
    ]);
    expect(told('device')).toEqual([
      ['mobile', 1, 2, 7],
      ['unattributed', 2, 0, 2],
    ]);
    expect([day.total.conversions, day.total.amount]).toEqual([2, 9]);
    const mixed = sets(row('09', null, null), row('10', 0, 0));
    expect(() => seal({ ...input, sets: mixed })).toThrow(
      'Only some g-hour rows lack conversions, amount',
    );
    const half = sets(row('09', null, 0));
    expect(() => seal({ ...input, sets: half })).toThrow("A g-hour row lacks 'conversions'");
  });

  it('refuses a row that lacks a metric which the channel supports there', () => {
    const sets = new Map<SetId, ObservationRow[]>([
      ['c-base', [['c1', '', '', '', 1, 1, null, 0, 1, null, 1]]],
    ]);
    const input = {
      channel: CHANNELS.SOCIAL_ADS,
      level: 'c',
      date: DATE,
      sets,
      lagging: new Set<Dimension>(),
    } as const;
    expect(() => seal(input)).toThrow("A c-base row lacks 'conversions'");
  });
});

type Counts = readonly [impressions: number, clicks: number, spend: number];

/** A row of an ad group; of its keyword where one is named. */
const groupRow = (group: string, word: string, [impressions, clicks, spend]: Counts) =>
  ['c1', group, '', word, impressions, clicks, 0, 0, spend, null, null] as ObservationRow;

function sealKeywords(keywords: readonly ObservationRow[], totals: readonly ObservationRow[]) {
  return seal({
    channel: CHANNELS.SEARCH_ENGINE_ADS,
    level: 'g',
    date: DATE,
    sets: new Map([
      ['g-keyword', keywords],
      ['g-base', totals],
    ]),
    lagging: new Set(),
  });
}
const wordsOf = (json = '{}') =>
  (JSON.parse(json) as DayJson).keyword?.map((entry) => wordOf(entry, 'keyword'));

describe('a list that exceeds its total', () => {
  it.each<[Counts, Counts, number | undefined]>([
    [[10, 10, 10], [10, 10, 10], undefined],
    [[10, 9, 10], [10, 10, 10], undefined],
    [[10, 13, 10], [10, 10, 10], 0.3],
    [[12, 13, 11], [10, 10, 10], 0.3],
    [[15, 13, 40], [10, 10, 20], 1],
    [[10, 1, 10], [10, 0, 10], 1],
    [[50, 10, 10], [10, 10, 10], 4],
  ])('of %j against %j names the largest share: %s', (entries, total, share) => {
    const { over } = sealKeywords([groupRow('g1', 'a', entries)], [groupRow('g1', '', total)]);
    expect(over).toEqual(share === undefined ? {} : { keyword: share });
  });

  it('names the largest share of all entities, whichever comes first', () => {
    const groups = [
      ['g1', 11],
      ['g2', 13],
      ['g3', 12],
    ] as const;
    const { over } = sealKeywords(
      groups.map(([group, clicks]) => groupRow(group, 'a', [10, clicks, 10])),
      groups.map(([group]) => groupRow(group, '', [10, 10, 10])),
    );
    expect(over).toEqual({ keyword: 0.3 });
  });
});

describe('entities', () => {
  it('without delivery in totals and lists are left out, those with some in a list are not', () => {
    const { entities } = sealKeywords(
      [groupRow('g1', 'a', [0, 0, 0]), groupRow('g2', 'a', [1, 0, 0])],
      [groupRow('g1', '', [0, 0, 0]), groupRow('g2', '', [0, 0, 0])],
    );
    expect([...entities.keys()]).toEqual(['g2']);
  });

  it('are none where the channel has no totals on the level', () => {
    const row = groupRow('g1', '', [1, 1, 1]);
    const input = {
      channel: CHANNELS.PORTAL1_SEARCH_AD,
      level: 'a',
      date: DATE,
      lagging: new Set<Dimension>(),
    } as const;
    const { entities } = seal({ ...input, sets: new Map([['d-base', [row]]]) });
    expect(entities.size).toBe(0);
    const sealing = createSealing({ ...input, sets: new Set(['d-base']) });
    expect(sealing.sums()).toEqual([null, null, null, null, null, null]);
    expect(metricsOf(input.channel, 'a')).toEqual([]);
  });

  it('add up to the sums of the level in the metrics that it supports', () => {
    const sealing = createSealing({
      channel: CHANNELS.SEARCH_ENGINE_ADS,
      level: 'g',
      date: DATE,
      sets: new Set(['g-base']),
      lagging: new Set(),
    });
    sealing.add('g-base', [groupRow('g1', '', [5, 2, 7]), groupRow('g2', '', [6, 3, 8])]);
    sealing.add('g-keyword', [groupRow('g1', 'a', [100, 100, 100])]);
    expect(sealing.sums()).toEqual([11, 5, 0, 0, 15, null]);
    expect([...sealing.ids()]).toEqual(['g1', 'g2']);
    expect(metricsOf(CHANNELS.PORTAL2_KEYWORD, 'a')).toEqual(['impressions', 'clicks', 'spend']);
  });
});

it.each([1, 200, 201, 450])('a list of %d entries is joined whole', (count) => {
  const words = Array.from({ length: count }, (_, index) => String(index).padStart(3, '0'));
  const { entities } = sealKeywords(
    words.map((word) => groupRow('g1', word, [1, 1, 1])),
    [groupRow('g1', '', [count, count, count])],
  );
  expect(wordsOf(entities.get('g1')?.json)).toEqual(words);
});

it('half a surrogate pair comes before a whole one although what follows it is greater', () => {
  const words = ['aa\uD83C\uE000', 'aa\u{1F34E}'];
  const { entities } = sealKeywords(
    words.toReversed().map((word) => groupRow('g1', word, [1, 1, 1])),
    [groupRow('g1', '', [2, 2, 2])],
  );
  expect(wordsOf(entities.get('g1')?.json)).toEqual(words);
});

it.each(
  adChannels.flatMap((channel) => LEVELS.map((level) => ({ type: channel.type, level, channel }))),
)(
  'a day of zeros of $type at level $level has zeros where supported, null elsewhere and all lists empty',
  ({ channel, level }) => {
    const day = JSON.parse(zeroDay(channel, level, DATE)) as DayJson;
    expect(Object.keys(day)).toEqual(['date', 'total', ...channel.lists]);
    const metrics = fillOf(channel, level, 'base')?.fill.metrics ?? [];
    for (const [metric, value] of Object.entries(day.total)) {
      const isOptional = ['conversions', 'amount', 'reach', 'rimp'].includes(metric);
      const isGiven =
        metric === 'ppc' ? channel.ppc : !isOptional || metrics.some((one) => one === metric);
      expect([metric, value]).toEqual([metric, isGiven ? 0 : null]);
    }
    for (const list of channel.lists) expect(day[list]).toEqual([]);
  },
);
