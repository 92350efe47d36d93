import { CHANNELS, findSource } from '@tributary/shared';
import { normalizeObservation, normalizeObservations } from './normalize-observations.ts';
import { FeedRowError } from './row-error.ts';

const channel = CHANNELS.PORTAL1_DA;
const scope = { channel, account: '77', from: '2026-11-01', to: '2026-11-30' };
const row = {
  date: '2026-11-02',
  level: 'campaign',
  entityId: '120210987654321987654',
  dimension: 'age',
  value: '25-34',
  impressions: 1200,
  clicks: '30',
  spend: '14.25',
  conversions: 2,
  amount: '61.5',
};

function source(id: string) {
  const found = findSource(channel, id);
  if (!found) throw new Error(`No source ${id}`);
  return found;
}

test('reads a row in our units, with its id at its own level alone', () => {
  expect(normalizeObservation(row, scope)).toMatchObject({
    day: '2026-11-02',
    level: 'c',
    entity: '120210987654321987654',
    source: { id: 'c-age' },
    set: 'c-age',
    row: [
      '120210987654321987654',
      '',
      '',
      '25-34',
      1200,
      30,
      2_000_000,
      61_500_000,
      14_250_000,
      null,
      null,
    ],
  });
  const group = { ...row, level: 'adGroup', entityId: 9 };
  expect(normalizeObservation(group, scope).row.slice(0, 4)).toEqual(['', '9', '', '25-34']);
  const account = { ...row, level: 'adAccount', entityId: 77 };
  expect(normalizeObservation(account, scope)).toMatchObject({ set: 'a-age', entity: '77' });
});

test('keeps every digit of a figure beyond 2^53', () => {
  const sent = { ...row, impressions: '9007199254740993', spend: '90071992547409.930001' };
  const figures = normalizeObservation(sent, scope).row;
  expect(figures[4]).toBe(9007199254740993n);
  expect(figures[8]).toBe(90071992547409930001n);
});

test.each([
  ['age', '25-34', '25-34'],
  ['age', '25 ~ 34', '25-34'],
  ['age', '65+', '65+'],
  ['age', 'UNKNOWN', 'unknown'],
  ['age', '13-17', '13-17'],
  ['gender', 'F', 'female'],
  ['gender', 'Male', 'male'],
  ['devicePlatform', ' Mobile app ', 'Mobile app'],
  ['publisherGroup', 'Unknown', 'unknown'],
  ['placementGroup', 4711, '4711'],
])('the %s %p is %p in our words', (dimension, value, word) => {
  expect(normalizeObservation({ ...row, dimension, value }, scope).row[3]).toBe(word);
});

test.each([
  ['date', { date: '2026-02-30' }, "'2026-02-30' in date"],
  ['date', { date: '20261102' }, "'20261102' in date"],
  ['date', { date: '2026-12-01' }, 'a day from 2026-11-01 to 2026-11-30'],
  ['level', { level: 'adgroup' }, "'adgroup' in level, expected one of adAccount"],
  ['entityId', { entityId: '' }, "'' in entityId"],
  ['entityId', { entityId: 2 ** 60 }, 'in entityId'],
  ['entityId', { level: 'adAccount', entityId: '78' }, "the ad account '77'"],
  ['dimension', { dimension: 'Age' }, "'Age' in dimension, expected a list of PORTAL1_DA: age, "],
  ['dimension', { dimension: 'hour', value: '9' }, 'hour of level campaign are not taken'],
  [
    'dimension',
    { dimension: undefined, value: undefined },
    'totals of level campaign are not taken',
  ],
  ['dimension', { level: 'ad' }, 'age of level ad are not taken'],
  ['value', { value: undefined }, 'Missing value, expected the age'],
  ['value', { value: '25 to 34' }, "'25 to 34' in value"],
  ['value', { value: '34-25' }, "'34-25' in value"],
  ['value', { dimension: 'gender', value: 'x' }, "'x' in value, expected 'male', 'female'"],
  ['value', { dimension: 'devicePlatform', value: ' ' }, "' ' in value"],
  ['impressions', { impressions: undefined }, 'Missing impressions'],
  [
    'impressions',
    { impressions: -1 },
    "'-1' in impressions, expected a whole number of at least 0",
  ],
  ['impressions', { impressions: '1,200' }, "'1,200' in impressions"],
  ['impressions', { impressions: 1.5 }, "'1.5' in impressions"],
  ['impressions', { impressions: Number.POSITIVE_INFINITY }, 'in impressions'],
  ['clicks', { clicks: '1e400' }, "'1e400' in clicks"],
  ['clicks', { clicks: 2 ** 60 }, 'in clicks'],
  ['spend', { spend: '12.5%' }, "'12.5%' in spend, expected a decimal number of at least 0"],
  ['spend', { spend: '-0.01' }, "'-0.01' in spend"],
  ['spend', { spend: 'NaN' }, "'NaN' in spend"],
  ['conversions', { conversions: undefined }, 'Missing conversions'],
  ['amount', { amount: null }, 'Missing amount'],
  ['reach', { reach: 5 }, "'5' in reach, expected nothing: PORTAL1_DA knows no reach here"],
  ['ctr', { ctr: 1.5 }, "Unknown field 'ctr'"],
])('refuses a row for its %s: %p', (field, change, words) => {
  let error: unknown;
  try {
    normalizeObservation({ ...row, ...change }, scope);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(FeedRowError);
  expect(error).toMatchObject({ field, message: expect.stringContaining(words) });
});

test.each([[null], ['row'], [[]], [7]])('refuses %p in place of a row', (sent) => {
  expect(() => normalizeObservation(sent, scope)).toThrow(FeedRowError);
});

describe('a page of a feed', () => {
  const only = { ...scope, source: source('c-age') };

  test("gives the asked source's rows and leaves other levels, lists and totals alone", () => {
    const { dimension: _d, value: _v, ...total } = row;
    const rows = [
      row,
      { ...row, dimension: 'gender', value: 'f' },
      { ...row, level: 'adGroup' },
      total,
    ];
    expect(normalizeObservations(rows, only, new Set())).toEqual([
      { day: '2026-11-02', set: 'c-age', rows: [normalizeObservation(row, scope).row] },
    ]);
  });

  test('keeps values of one word as rows of their own, to be added up when the day is sealed', () => {
    const [piece] = normalizeObservations([row, { ...row, value: '25~34' }], only, new Set());
    expect(piece?.rows.map((one) => (Array.isArray(one) ? one[3] : one))).toEqual([
      '25-34',
      '25-34',
    ]);
  });

  test('refuses the same row twice, also on another page', () => {
    const seen = new Set<string>();
    normalizeObservations([row], only, seen);
    expect(() => normalizeObservations([{ ...row, clicks: 31 }], only, seen)).toThrow('came twice');
  });

  test('refuses a malformed row with a word and the value', () => {
    const read = () => normalizeObservations([{ ...row, clicks: 'many' }], only, new Set());
    expect(read).toThrow(
      expect.objectContaining({
        code: 'malformed_row',
        message: expect.stringContaining("'many'"),
      }),
    );
  });
});
