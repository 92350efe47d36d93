import { RetryableError } from '@tributary/runtime';
import { CHANNELS, type ObservationRow, type Observed, type SetId, seal } from '@tributary/shared';
import { CAMPAIGN, createJobs, DAY, fixture, GROUPS, useSearchAd } from '../testing/search-ad.ts';

const platform = useSearchAd();
const [group, otherGroup] = GROUPS;
const AD = 'nad-a001-01-0000000000000';

const FILES = {
  AD: fixture('ad'),
  AD_CONVERSION: fixture('ad-conversion'),
  AD_DETAIL: fixture('ad-detail'),
  AD_CONVERSION_DETAIL: fixture('ad-conversion-detail'),
  CRITERION: fixture('criterion'),
  CRITERION_CONVERSION: fixture('criterion-conversion'),
};

function rowsOf(observed: readonly Observed[], set: string): unknown[] {
  return observed.filter((one) => one.set === set).flatMap(({ rows }) => rows);
}

/** The level of a day as it is sent. */
function sealed(observed: readonly Observed[], level: 'c' | 'g') {
  const sets = new Map(
    observed.map(
      ({ set }) => [set, rowsOf(observed, set) as ObservationRow[]] as [SetId, ObservationRow[]],
    ),
  );
  const channel = CHANNELS.PORTAL1_SEARCH_AD;
  const { entities } = seal({ channel, level, date: DAY, sets, lagging: new Set() });
  return (id: string) => JSON.parse(entities.get(id)?.json ?? 'null');
}

const data = (
  impressions: number,
  clicks: number,
  conversions: number | null,
  amount: number | null,
  spend: number,
) =>
  expect.objectContaining({
    impressions,
    clicks,
    conversions,
    amount,
    spend,
    reach: null,
    rimp: null,
    ppc: null,
  });

test('AD and AD_CONVERSION give totals, keywords and devices; purchases of both methods count, other kinds do not', async () => {
  platform.serve(createJobs(FILES));
  const { observed, error } = await platform.collect('ad');
  expect(error).toBeUndefined();
  expect(rowsOf(observed, 'd-base')).toEqual([
    [
      CAMPAIGN,
      group,
      `${AD}21`,
      '',
      1050,
      16,
      4_000_000,
      62_500_000_000,
      12_515_008_000_000,
      null,
      null,
    ],
    [CAMPAIGN, group, `${AD}22`, '', 0, 1, 0, 0, 300_333_333, null, null],
    [CAMPAIGN, otherGroup, `${AD}23`, '', 5, 0, 0, 0, 0, null, null],
    [CAMPAIGN, otherGroup, `${AD}24`, '', 0, 0, 1_000_000, 500_000_000, 0, null, null],
  ]);
  const day = sealed(observed, 'g')(group);
  // 14,250.5 + 750 + 12,500,007.5 + 300.333333 won.
  expect(day.total).toEqual(data(1050, 17, 4, 62_500, 12_515_308.333333));
  expect(day.keyword).toEqual([
    { keyword: '운동화 1', data: data(1040, 16, 4, 62_500, 12_515_008) },
    // No name at the platform: its id. A click without impressions.
    { keyword: 'nkw-a001-01-000000000000039', data: data(0, 1, 0, 0, 300.333333) },
    // The row without a keyword.
    { keyword: 'unattributed', data: data(10, 0, 0, 0, 0) },
  ]);
  expect(day.device).toEqual([
    { device: 'desktop', data: data(40, 2, 1, 1_000, 12_500_307.833333) },
    { device: 'mobile', data: data(1010, 15, 3, 61_500, 15_000.5) },
  ]);
  expect(sealed(observed, 'c')(CAMPAIGN).total).toEqual(
    data(1055, 17, 5, 63_000, 12_515_308.333333),
  );
});

test('AD_DETAIL gives hours and regions by name; hours that are none stay open', async () => {
  platform.serve(createJobs(FILES));
  const { observed } = await platform.collect('detail');
  expect(rowsOf(observed, 'g-hour')).toEqual([
    [CAMPAIGN, group, '', '00', 800, 10, 0, 0, 14_000_000_000, null, null],
    [CAMPAIGN, group, '', '23', 42, 3, 2_000_000, 61_500_000_000, 260_500_000, null, null],
    [CAMPAIGN, otherGroup, '', '07', 9, 0, 0, 0, 0, null, null],
  ]);
  expect(rowsOf(observed, 'g-region')).toEqual([
    [
      CAMPAIGN,
      group,
      '',
      '서울특별시',
      839,
      12,
      2_000_000,
      61_500_000_000,
      14_250_500_000,
      null,
      null,
    ],
    // 0 and 00 are both abroad: two rows of one word, which sealing adds up.
    [CAMPAIGN, group, '', '00', 1, 0, 0, 0, 0, null, null],
    [CAMPAIGN, group, '', '00', 2, 1, 0, 0, 10_000_000, null, null],
    [CAMPAIGN, otherGroup, '', 'unknown', 3, 0, 0, 0, 0, null, null],
    [CAMPAIGN, otherGroup, '', '18', 5, 0, 0, 0, 0, null, null],
  ]);
});

test('CRITERION gives ages and genders below the campaign of their ad group, and leaves other targets out', async () => {
  platform.serve(createJobs(FILES));
  const { observed } = await platform.collect('criterion');
  expect(rowsOf(observed, 'g-age')).toEqual([
    [CAMPAIGN, group, '', '14-18', 15, 1, 1_000_000, 5_000_000_000, 100_500_000, null, null],
    [CAMPAIGN, group, '', '60+', 7, 0, 0, 0, 0, null, null],
    [CAMPAIGN, group, '', 'unknown', 1, 0, 0, 0, 0, null, null],
  ]);
  expect(rowsOf(observed, 'g-gender')).toEqual([
    [CAMPAIGN, group, '', 'male', 12, 1, 0, 0, 100_500_000, null, null],
    [CAMPAIGN, group, '', 'unknown', 3, 0, 0, 0, 0, null, null],
    [CAMPAIGN, group, '', 'female', 0, 0, 1_000_000, 7_000_000_000, 0, null, null],
  ]);
});

test('names are asked for once, and what a file told of ad groups is not asked for', async () => {
  const jobs = createJobs(FILES);
  platform.serve(jobs);
  for (const id of ['detail', 'criterion', 'ad', 'detail', 'criterion', 'ad']) {
    expect((await platform.collect(id)).error).toBeUndefined();
  }
  const asked = platform.server().seen.filter(({ url }) => url.pathname.startsWith('/ncc/'));
  expect(asked.map(({ url }) => `${url.pathname} ${url.searchParams.get('ids') ?? ''}`)).toEqual([
    '/ncc/criterion-dictionary/RL ',
    '/ncc/adgroups grp-a001-01-000000000000077', // the others stood in AD_DETAIL
    '/ncc/keywords nkw-a001-01-000000000000031,nkw-a001-01-000000000000039,nkw-a001-01-000000000000032',
  ]);
});

test('conversions by hour are null, and not asked for, when the day is older than 45 days', async () => {
  const at = async (day: string) => {
    const { error } = await platform.collect('detail', { day });
    expect(error?.code).toBe('malformed_row'); // the fixture's rows are of another day
    return platform.server().seen.flatMap(({ body }) => (body ? [JSON.parse(body).reportTp] : []));
  };
  platform.serve(createJobs(FILES));
  expect(await at('2026-10-06')).toEqual(['AD_DETAIL']);
  platform.server().seen.splice(0);
  expect(await at('2026-10-07')).toEqual(['AD_DETAIL', 'AD_CONVERSION_DETAIL']);
  platform.clock.time = Date.UTC(2027, 0, 10);
  const { observed } = await platform.collect('detail');
  const [first] = rowsOf(observed, 'g-hour') as ObservationRow[];
  expect(first?.slice(4, 9)).toEqual([800, 10, null, null, 14_000_000_000]);
});

test('the kinds of conversions that count are the link’s', async () => {
  platform.serve(createJobs(FILES));
  const { observed } = await platform.collect('ad', {
    settings: { conversionKinds: ['add_to_cart', 'lead'] },
  });
  const [first] = rowsOf(observed, 'd-base') as ObservationRow[];
  expect(first?.slice(6, 8)).toEqual([7_000_000, 99_999_000_000]);
});

test('a day without files is a day without rows', async () => {
  platform.serve(createJobs({}));
  expect(await platform.collect('ad')).toEqual({ observed: [], error: undefined });
});

const line = fixture('ad').split('\n')[0] ?? '';
test.each([
  ['columns', line.split('\t').slice(0, 12).join('\t'), "'12' in columns"],
  ['date', line.replace('20261118', '20261117'), "'20261117' in date"],
  ['customer', line.replace('1234567', '7654321'), "'7654321' in customer"],
  ['campaign', line.replace('cmp-', 'grp-'), "'grp-a001-01-000000000000001' in campaign"],
  ['a column too many', line.replace('\tnad-', '\tx\tnad-'), "'x' in ad"],
  ['impressions', line.replace('\t839\t', '\t839.5\t'), "'839.5' in impressions"],
  ['clicks', line.replace('\t12\t', '\t-12\t'), "'-12' in clicks"],
  ['cost', line.replace('14250.5', '14,250.5'), "'14,250.5' in cost"],
  ['an empty line', `${line}\n`, "'1' in columns"],
])(
  'a file with bad %s is refused with its place and value, and its job is deleted',
  async (_name, text, said) => {
    const jobs = createJobs({ AD: `${text}\n` });
    platform.serve(jobs);
    const { observed, error } = await platform.collect('ad');
    expect(observed).toEqual([]);
    expect(error).toBeInstanceOf(RetryableError);
    expect(error?.code).toBe('malformed_row');
    expect(error?.message).toContain(said);
    expect([...jobs.jobs]).toEqual([]);
  },
);

test('a method that is none of the two is refused', async () => {
  const text = fixture('ad-conversion').replace('\tM\t1\tpurchase', '\tM\t3\tpurchase');
  platform.serve(createJobs({ AD: FILES.AD, AD_CONVERSION: text }));
  const { error } = await platform.collect('ad');
  expect(error?.message).toContain("'3' in method");
});

test('older and newer files with fewer and more columns at the end are read alike', async () => {
  const widths = [13, 14, 16].map((width) =>
    FILES.AD.trimEnd()
      .split('\n')
      .map((row) => [...row.split('\t'), 'x', 'y', 'z'].slice(0, width).join('\t'))
      .join('\r\n'),
  );
  const seen = [];
  for (const text of widths) {
    platform.serve(createJobs({ AD: text }));
    seen.push((await platform.collect('ad')).observed);
  }
  expect(seen[0]).toHaveLength(3);
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
});
