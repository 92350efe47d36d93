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
  ['age', '25 ~ 34', '25-34'],
  ['gender', 'F', 'female'],
  ['placementGroup', 4711, '4711'],
])('the %s %p is %p in our words', (dimension, value, word) => {
  expect(normalizeObservation({ ...row, dimension, value }, scope).row[3]).toBe(word);
});

test.each([
  ['date', { date: '2026-02-30' }, "'2026-02-30' in date"],
  ['date', { date: '20261102' }, "'20261102' in date"],
  ['date', { date: '2026-11-15T00:00' }, 'in date, expected a date YYYY-MM-DD'],
  ['date', { date: '2026-12-01' }, 'a day from 2026-11-01 to 2026-11-30'],
  ['level', { level: 'adgroup' }, "'adgroup' in level, expected one of adAccount"],
  ['entityId', { entityId: '' }, "'' in entityId"],
  ['entityId', { entityId: ' ' }, "' ' in entityId, expected the platform's id"],
  ['entityId', { entityId: 2 ** 60 }, 'in entityId'],
  ['entityId', { entityId: 1.5 }, "'1.5' in entityId"],
  ['entityId', { entityId: 'x'.repeat(201) }, 'in entityId'],
  ['entityId', { entityId: '1\n2' }, 'in entityId'],
  ['entityId', { entityId: '1\ud8002' }, 'in entityId'],
  ['entityId', { level: 'adAccount', entityId: '78' }, "the ad account '77'"],
  ['dimension', { dimension: 'Age' }, "'Age' in dimension, expected a list of PORTAL1_DA: age, "],
  ['dimension', { dimension: 'hour', value: '9' }, 'hour of level campaign are not taken'],
  ['dimension', { level: 'ad' }, 'age of level ad are not taken'],
  ['value', { value: undefined }, 'Missing value, expected the age'],
  ['value', { value: null }, 'Missing value, expected the age'],
  ['value', { value: '' }, "'' in value"],
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
  ['conversions', { conversions: '-2' }, "'-2' in conversions, expected a decimal number"],
  ['amount', { amount: '' }, "'' in amount"],
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

test.each([[undefined], [null], ['']])('a row whose dimension is %p is a total', (dimension) => {
  for (const value of [undefined, null, '']) {
    expect(() => normalizeObservation({ ...row, dimension, value }, scope)).toThrow(
      'totals of level campaign are not taken: a feed or file of PORTAL1_DA gives age, gender, ' +
        'devicePlatform, publisherGroup, placementGroup at adAccount, campaign, adGroup',
    );
  }
  // It would add the values of a list up to a total.
  for (const value of ['25-34', 0]) {
    expect(() => normalizeObservation({ ...row, dimension, value }, scope)).toThrow(
      `Invalid value '${value}' in value, expected nothing in a row without a dimension`,
    );
  }
});

test('an ad account is any where none was asked for; ids are at most 200 characters', () => {
  const account = { ...row, level: 'adAccount', entityId: ' 78 ' };
  const { account: _, ...anyAccount } = scope;
  expect(normalizeObservation(account, anyAccount)).toMatchObject({ entity: '78', set: 'a-age' });
  expect(normalizeObservation(account, anyAccount).row.slice(0, 4)).toEqual(['', '', '', '25-34']);
  const long = 'x'.repeat(200);
  expect(normalizeObservation({ ...row, entityId: long }, scope).entity).toBe(long);
});

test('a figure that the list does not have may be left empty', () => {
  const figures = normalizeObservation(row, scope).row.slice(4);
  for (const reach of [undefined, null, '']) {
    expect(normalizeObservation({ ...row, reach }, scope).row.slice(4)).toEqual(figures);
  }
  const none = { impressions: 0, clicks: '0', spend: '0.0', conversions: 0, amount: 0 };
  expect(normalizeObservation({ ...row, ...none }, scope).row.slice(4)).toEqual([
    0,
    0,
    0,
    0,
    0,
    null,
    null,
  ]);
});

test('what a feed gives is read from the table: other metrics, levels and totals too', () => {
  const [first] = channel.sources;
  if (!first) throw new Error('No source');
  const fed = (level: 'c' | 'd', part: 'base' | 'age', metric: 'reach' | 'amount') =>
    ({ level, part, from: `${level}-${part}`, metrics: [metric] }) as const;
  const sources = [
    { ...first, feed: undefined },
    { ...first, id: 'fed', fills: [fed('d', 'age', 'reach'), fed('c', 'base', 'amount')] },
  ] as unknown as typeof channel.sources; // the first is no feed
  const taught = { ...scope, channel: { ...channel, sources } };
  const { dimension: _d, value: _v, conversions: _c, amount, ...total } = row;
  expect(normalizeObservation({ ...total, amount }, taught)).toMatchObject({
    set: 'c-base',
    row: [row.entityId, '', '', '', 1200, 30, null, 61_500_000, 14_250_000, null, null],
    key: JSON.stringify([row.date, 'c', row.entityId, 'base', '']),
  });
  const ad = { ...total, level: 'ad', dimension: 'age', value: '25-34', reach: '9' };
  expect(normalizeObservation(ad, taught)).toMatchObject({
    source: { id: 'fed' },
    set: 'd-age',
    row: ['', '', row.entityId, '25-34', 1200, 30, null, null, 14_250_000, null, 9],
  });
  expect(() => normalizeObservation({ ...ad, level: 'adGroup' }, taught)).toThrow(
    /age of level adGroup are not taken: a feed or file of PORTAL1_DA gives .* at ad, campaign$/,
  );
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

  test('parts days and tells rows apart by day, entity and value', () => {
    const rows = [
      row,
      { ...row, date: '2026-11-03' },
      { ...row, value: '35-44' },
      { ...row, entityId: 5 },
    ];
    const pieces = normalizeObservations(rows, only, new Set());
    expect(pieces.map(({ day, set, rows: found }) => [day, set, found.length])).toEqual([
      ['2026-11-02', 'c-age', 3],
      ['2026-11-03', 'c-age', 1],
    ]);
    const again = () => normalizeObservations([row, row], only, new Set());
    expect(again).toThrow(
      expect.objectContaining({
        code: 'duplicate_row',
        message: `The row ["2026-11-02","c","${row.entityId}","age","25-34"] came twice`,
      }),
    );
  });

  test.each([
    ['a row of no list', { dimension: 'Age' }, "'Age' in dimension"],
    ['a value of no list', { dimension: null }, "'25-34' in value"],
    ['a misspelt field', { click: 1 }, "Unknown field 'click'"],
  ])('refuses %s, of whatever source it were', (_what, change, words) => {
    const read = () => normalizeObservations([{ ...row, ...change }], only, new Set());
    expect(read).toThrow(
      expect.objectContaining({
        code: 'malformed_row',
        message: expect.stringContaining(words),
      }),
    );
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
