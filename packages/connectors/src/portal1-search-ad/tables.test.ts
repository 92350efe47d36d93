import type { Figures } from '@tributary/shared';
import { createTables, type TablePlace } from './tables.ts';

const DAY = '2026-11-18';
const KEYWORD: TablePlace = { set: 'g-keyword', campaign: 'c', group: 'g', ad: '', value: 'nkw-1' };
const AD: TablePlace = { set: 'd-base', campaign: 'c', group: 'g', ad: 'nad-1', value: '' };
const delivery = (impressions: number): Figures => [impressions, 1, 0, 0, 5, null, null];
const SALE: Figures = [0, 0, 1_000_000, 61_500_000, 0, null, null];

const observed = (
  tables: ReturnType<typeof createTables>,
  rename: (place: TablePlace) => TablePlace | undefined = (place) => place,
) => [...tables.rows(DAY, rename)];

test('what shares set, ad group and value is added up, delivery and sales alike', () => {
  const tables = createTables();
  tables.add(KEYWORD, delivery(10));
  tables.add(AD, delivery(100));
  tables.add(KEYWORD, delivery(7));
  tables.add({ ...KEYWORD }, SALE);
  expect(observed(tables)).toEqual([
    [
      {
        day: DAY,
        set: 'g-keyword',
        rows: [['c', 'g', '', 'nkw-1', 17, 2, 1_000_000, 61_500_000, 10, null, null]],
      },
      { day: DAY, set: 'd-base', rows: [['c', 'g', 'nad-1', '', 100, 1, 0, 0, 5, null, null]] },
    ],
  ]);
});

test('another set, ad group, ad or value is another row', () => {
  const tables = createTables();
  const others = [
    KEYWORD,
    { ...KEYWORD, set: 'g-device' },
    { ...KEYWORD, group: 'g2' },
    { ...KEYWORD, value: 'nkw-2' },
    AD,
    { ...AD, ad: 'nad-2' },
  ] as const;
  for (const place of others) tables.add(place, delivery(1));
  expect([...tables.places()]).toEqual(others);
  expect(observed(tables).flatMap((pieces) => pieces.map(({ rows }) => rows.length))).toEqual([
    3, 1, 2,
  ]);
});

test('places are renamed as they go out, or left out', () => {
  const tables = createTables();
  tables.add(KEYWORD, delivery(1));
  tables.add({ ...KEYWORD, value: 'nkw-2' }, delivery(2));
  const named = observed(tables, (place) =>
    place.value === 'nkw-1' ? { ...place, campaign: 'c9', value: '운동화' } : undefined,
  );
  expect(named).toEqual([
    [{ day: DAY, set: 'g-keyword', rows: [['c9', 'g', '', '운동화', ...delivery(1)]] }],
  ]);
  expect([...tables.places()][0]).toEqual(KEYWORD);
});

test('without rows, and without any place kept, nothing goes out', () => {
  const tables = createTables();
  expect(observed(tables)).toEqual([]);
  tables.add(KEYWORD, delivery(1));
  expect(observed(tables, () => undefined)).toEqual([]);
});

test('many rows go out in pieces of five thousand of a set, each row once', () => {
  const tables = createTables();
  tables.add(AD, delivery(1));
  for (let n = 0; n < 10_001; n += 1) tables.add({ ...KEYWORD, value: `nkw-${n}` }, delivery(1));
  const pieces = observed(tables);
  expect(pieces.map((all) => all.map(({ set, rows }) => [set, rows.length]))).toEqual([
    [['g-keyword', 5_000]],
    [['g-keyword', 5_000]],
    [
      ['d-base', 1],
      ['g-keyword', 1],
    ],
  ]);
  const values = pieces
    .flat()
    .flatMap(({ rows }) => rows.map((row) => Array.isArray(row) && row[3]));
  expect(new Set(values).size).toBe(10_002);
});

test('what is kept is a copy: changing the place later changes nothing', () => {
  const tables = createTables();
  const place = { ...KEYWORD };
  tables.add(place, delivery(1));
  place.value = 'nkw-9';
  expect([...tables.places()]).toEqual([KEYWORD]);
});
