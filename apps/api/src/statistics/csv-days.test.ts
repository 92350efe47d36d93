import {
  CHANNEL_TYPES,
  CHANNELS,
  type Channel,
  dataObjectJson,
  type Figures,
  type ObservationRow,
  type SetId,
  seal,
  sourcesOf,
  zeroDay,
} from '@tributary/shared';
import fc from 'fast-check';
import { readExactly, readTable, textOfCell } from '../testing/read-table.ts';
import { csvPieces } from './csv-answer.ts';
import { csvLine, DAY_COLUMNS, METRIC_COLUMNS } from './csv-cells.ts';
import { createDayRows, metricCells } from './csv-days.ts';

const adChannels = CHANNEL_TYPES.map((type) => CHANNELS[type]).filter(({ kind }) => kind === 'ads');

const exact = fc.oneof(
  fc.nat({ max: 5000 }),
  fc.nat(),
  fc.maxSafeNat(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
);
const word = fc.oneof(
  fc.constantFrom('unknown', '00', '25-34', '', 'a,b', '"', "'", '\r\n', '=1+1', '-', '\\', '👟'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const drawnRow = fc.record({
  word,
  figures: fc.tuple(exact, exact, exact, exact, exact, exact, fc.option(exact)),
});
type DrawnRow = { word: string; figures: Figures };

interface Drawn {
  channel: Channel;
  /** By day, by set. */
  days: DrawnRow[][][];
  cuts: number[];
}

const answers: fc.Arbitrary<Drawn> = fc.record({
  channel: fc.constantFrom(...adChannels),
  days: fc.array(fc.array(fc.array(drawnRow, { maxLength: 4 }), { minLength: 7, maxLength: 7 }), {
    maxLength: 3,
  }),
  cuts: fc.array(fc.nat({ max: 4000 }), { maxLength: 6 }),
});

const dateOf = (index: number) => `2026-11-0${index + 1}`;

/** The answer of /data/campaign with the days as they are sealed; an ad group's where campaigns are summed from them. */
function answerJson({ channel, days }: Drawn): string {
  const sets = [
    ...new Set(sourcesOf(channel, 'c').flatMap(({ fills }) => fills.map(({ from }) => from))),
  ];
  const sealedDays = days.map((rows, index) => {
    const date = dateOf(index);
    const observed = new Map<SetId, ObservationRow[]>(
      sets.map((set, position) => [set, (rows[position] ?? []).map((row) => rowOf(row, set))]),
    );
    const { entities } = seal({ channel, level: 'c', date, sets: observed, lagging: new Set() });
    return entities.get('c1')?.json ?? zeroDay(channel, 'c', date);
  });
  return `{"date":"2026-11-01/2026-11-03","data":{"${channel.type}":[${sealedDays.join(',')}]}}`;
}

function rowOf({ word: value, figures }: DrawnRow, set: SetId): ObservationRow {
  return ['c1', 'g1', 'd1', set.endsWith('-base') ? '' : value, ...figures];
}

type Metrics = Record<string, string | null>;
type DayJson = { date: string; total: Metrics } & Record<string, unknown>;

/** What the table of an answer has to hold, as a reader of the JSON would put it. */
function expectedRows(json: string, { type, lists }: Channel): Record<string, string>[] {
  const { data } = readExactly(json) as { data: Record<string, DayJson[]> };
  const cells = (metrics: Metrics) =>
    Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, value ?? '']));
  return (data[type] ?? []).flatMap((day) => [
    { date: day.date, dimension: 'total', value: '', ...cells(day.total) },
    ...lists.flatMap((list) =>
      (day[list] as Record<string, unknown>[]).map((entry) => ({
        date: day.date,
        dimension: list,
        value: String(entry[list]),
        ...cells(entry.data as Metrics),
      })),
    ),
  ]);
}

async function tableOf(json: string, cuts: readonly number[] = []): Promise<string> {
  const bytes = Buffer.from(json);
  const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
  const pieces: Uint8Array[] = [];
  for await (const piece of csvPieces(chunks, () => Promise.resolve())) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('the table of an answer with days', () => {
  it('has every figure of the JSON, digit by digit, for every channel and however the bytes come', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(answers, async (drawn) => {
        const json = answerJson(drawn);
        const rows = readTable(await tableOf(json, drawn.cuts)).map((row) => ({
          ...row,
          value: textOfCell(row.value),
        }));
        expect(rows).toEqual(expectedRows(json, drawn.channel));
        if (rows.length > drawn.days.length) seen.add(drawn.channel.type);
      }),
      { numRuns: 300 },
    );
    expect(seen.size).toBe(adChannels.length);
  });

  it('keeps what a number of JavaScript would lose', async () => {
    const figures: Figures = [2n ** 60n + 1n, 3, null, 7n, 2n ** 63n - 1n, null, null];
    const total = dataObjectJson(figures, true);
    const json = `{"date":"d","data":{"X":[{"date":"2026-11-01","total":${total}}]}}`;
    const table = await tableOf(json);
    expect(table).toBe(
      csvLine(DAY_COLUMNS) +
        '2026-11-01,total,,1152921504606846977,3,,0.000007,9223372036854.775807,,3074457345618.258602,,0,3074457345618.258602,0.008\r\n',
    );
    expect(String(Number('9223372036854.775807'))).not.toBe('9223372036854.775807');
  });

  it('of no day is the header line', async () => {
    const table = await tableOf('{"date":"2026-11-01","data":{"SOCIAL_ADS":[]}}');
    expect(table).toBe(
      'date,dimension,value,impressions,clicks,conversions,amount,spend,reach,ppc,rimp,ctr,cpc,cpm\r\n',
    );
  });
});

describe('what is no answer with days', () => {
  const whole = answerJson({
    channel: CHANNELS.SOCIAL_ADS,
    days: [[[], [{ word: 'a', figures: [1, 1, 1, 1, 1, null, 1] }]]],
    cuts: [],
  });

  it('is refused wherever it breaks off', async () => {
    for (let length = 0; length < whole.length; length += 7) {
      await expect(tableOf(whole.slice(0, length))).rejects.toThrow(
        'form in which days are sealed',
      );
    }
    await expect(tableOf(`${whole} `)).rejects.toThrow('form in which days are sealed');
  });

  it.each([
    ['a number with an exponent', ['"clicks":1', '"clicks":1e3']],
    ['a field more', ['"clicks":1', '"views":2,"clicks":1']],
    ['a field less', ['"clicks":1,', '']],
    ['another order', ['"ppc":null,"rimp":null', '"rimp":null,"ppc":null']],
    ['an entry of another list', ['{"gender":"a"', '{"age":"a"']],
    ['a space', ['"clicks":1', '"clicks": 1']],
  ])('is refused for %s', async (_, [sealed = '', other = '']) => {
    expect(whole).toContain(sealed);
    await expect(tableOf(whole.replace(sealed, other))).rejects.toThrow('in which days are sealed');
  });

  it('is refused before much of it is held', () => {
    const rows = createDayRows();
    const piece = Buffer.from('{"date":"'.padEnd(700_000, 'x'));
    rows.add(piece);
    expect(() => rows.add(piece)).toThrow('in which days are sealed');
  });
});

test('a DataObject is its cells, and nothing else is', () => {
  const json = dataObjectJson([1200, 30, 2_000_000, null, 14_250_000, null, 900], false);
  const cells = '1200,30,2,,14.25,900,,,2.5,0.475,11.875';
  expect(metricCells(json)).toBe(cells);
  expect(cells.split(',')).toHaveLength(METRIC_COLUMNS.length);
  for (const other of [`${json} `, json.slice(1), '{}', '']) {
    expect(() => metricCells(other)).toThrow('a DataObject');
  }
});
