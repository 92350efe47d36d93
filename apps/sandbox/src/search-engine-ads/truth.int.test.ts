import { type Json, type SearchSandbox, startSearchSandbox } from './testing.ts';
import { PLACES } from './world.ts';

const DAYS = { start: '2026-11-14', end: '2026-11-18' };
const METRICS =
  'metrics.impressions, metrics.clicks, metrics.cost_micros, metrics.conversions, metrics.conversions_value';

jest.setTimeout(30_000);

let box: SearchSandbox;
beforeAll(async () => {
  box = await startSearchSandbox();
});
afterAll(() => box.sandbox.close());

/** The words of the interface, spelt out once more. */
const WORDS: Readonly<Record<string, string>> = {
  AGE_RANGE_65_UP: '65+',
  AGE_RANGE_UNDETERMINED: 'unknown',
  UNDETERMINED: 'unknown',
  CONNECTED_TV: 'tv',
};
const wordOf = (raw: string) =>
  WORDS[raw] ?? raw.replace(/^AGE_RANGE_(\d+)_(\d+)$/, '$1-$2').toLowerCase();

const LISTS = {
  age: ['age_range_view', 'ad_group_criterion.age_range.type'],
  gender: ['gender_view', 'ad_group_criterion.gender.type'],
  region: ['user_location_view', 'segments.geo_target_region'],
  keyword: ['keyword_view', 'ad_group_criterion.keyword.text'],
  device: [undefined, 'segments.device'],
  hour: [undefined, 'segments.hour'],
} as const;
const LIST_NAMES = ['age', 'gender', 'region', 'keyword', 'device', 'hour'] as const;
const LEVELS = {
  account: ['customer', 'customer.id'],
  campaign: ['campaign', 'campaign.id'],
  adGroup: ['ad_group', 'ad_group.id'],
  ad: ['ad_group_ad', 'ad_group_ad.ad.id'],
} as const;

const at = (row: Json, field: string): string | undefined => {
  const steps = field
    .split('.')
    .map((step) => step.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase()));
  const value = steps.reduce<unknown>((inside, step) => (inside as Json | undefined)?.[step], row);
  return value === undefined ? undefined : String(value as string | number | boolean);
};
const micros = (text: string | undefined) => Math.round(Number(text ?? 0) * 1e6);
const figuresIn = (row: Json) => [
  Number(at(row, 'metrics.impressions') ?? 0),
  Number(at(row, 'metrics.clicks') ?? 0),
  micros(at(row, 'metrics.conversions')),
  micros(at(row, 'metrics.conversions_value')),
  Number(at(row, 'metrics.cost_micros') ?? 0),
];
const figuresOf = (told: Json) => [
  Number(told.impressions),
  Number(told.clicks),
  micros(String(told.conversions)),
  micros(String(told.amount)),
  micros(String(told.spend)),
];

function valueOfList(list: keyof typeof LISTS, raw: string | undefined): string {
  if (list === 'region') {
    const id = raw?.replace('geoTargetConstants/', '');
    return id === undefined ? 'unknown' : (PLACES[id]?.canonicalName ?? id);
  }
  if (list === 'hour') return (raw ?? '').padStart(2, '0');
  return list === 'keyword' ? String(raw) : wordOf(String(raw));
}

/** Sums of an answer by day, entity and value. */
function sums(rows: readonly Json[], idField: string, value: (row: Json) => string) {
  const found = new Map<string, number[]>();
  for (const row of rows) {
    const key = [at(row, 'segments.date'), at(row, idField), value(row)].join(' ');
    const before = found.get(key) ?? [0, 0, 0, 0, 0];
    found.set(
      key,
      figuresIn(row).map((figure, index) => figure + (before[index] ?? 0)),
    );
  }
  return new Map([...found].filter(([, figures]) => figures.some((figure) => figure !== 0)));
}

const when = `segments.date BETWEEN '${DAYS.start}' AND '${DAYS.end}'`;
const places = (['seoul', 'newYork'] as const).flatMap((name) =>
  (['account', 'campaign', 'adGroup', 'ad'] as const).map((level) => [name, level] as const),
);

test.each(places)(
  'the truth of %s at level %s is what the dialect answers, summed',
  async (name, level) => {
    const cid = box[name];
    const [resource, idField] = LEVELS[level];
    const truth = await box.truth(
      `account=${cid}&level=${level}&start=${DAYS.start}&end=${DAYS.end}`,
    );
    expect(truth.length).toBeGreaterThan(0);
    const totals = await box.rows(
      cid,
      `SELECT ${idField}, segments.date, ${METRICS} FROM ${resource} WHERE ${when}`,
    );
    const told = new Map(truth.map((day) => [`${day.date} ${day.entity} `, figuresOf(day.total)]));
    expect(sums(totals, idField, () => '')).toEqual(told);
    for (const list of level === 'ad' ? [] : LIST_NAMES) {
      const [view, field] = LISTS[list];
      const groups = view === undefined || level === 'adGroup' ? '' : ', ad_group.id';
      const rows = await box.rows(
        cid,
        `SELECT ${idField}${groups}, segments.date, ${field}, ${METRICS} FROM ${view ?? resource} WHERE ${when}`,
      );
      const given = sums(rows, idField, (row) => valueOfList(list, at(row, field)));
      const wanted = truth.flatMap((day) =>
        (day.lists[list] ?? []).map(
          (entry) => [`${day.date} ${day.entity} ${entry.value}`, figuresOf(entry)] as const,
        ),
      );
      expect([list, given]).toEqual([list, new Map(wanted)]);
      expect(given.size).toBeGreaterThan(0);
    }
  },
);

test('what no view tells is unattributed: Performance Max whole, and a part of the rest', async () => {
  const { start } = DAYS;
  const [day] = await box.truth(`account=${box.seoul}&start=${start}&end=${start}`);
  expect(Object.keys(day?.unattributed ?? {}).toSorted()).toEqual([
    'age',
    'gender',
    'keyword',
    'region',
  ]);
  const campaigns = await box.rows(
    box.seoul,
    "SELECT campaign.id FROM campaign WHERE campaign.advertising_channel_type = 'PERFORMANCE_MAX'",
  );
  const id = at(campaigns[0] ?? {}, 'campaign.id');
  const bare = await box.truth(
    `account=${box.seoul}&level=campaign&id=${id}&start=${DAYS.start}&end=${DAYS.end}`,
  );
  for (const one of bare) {
    expect(one.lists.age).toEqual([]);
    const { age } = one.unattributed;
    if (age) expect(figuresOf(age)).toEqual(figuresOf(one.total));
  }
  expect(bare.some(({ unattributed }) => unattributed.age !== undefined)).toBe(true);
});
