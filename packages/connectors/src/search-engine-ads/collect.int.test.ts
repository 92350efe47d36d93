import { CHANNELS, type ObservationRow, type SetId, seal } from '@tributary/shared';
import { json } from '../testing/scripted-server.ts';
import { ACCOUNT, fixture, queryOf, type Row, useSearch } from '../testing/search-engine-ads.ts';

const search = useSearch();
const CAMPAIGN = '20111222333';
const GROUP = '150111222333';
const DAY = '2026-11-18';

const row = (segments: Row, more: Row = {}): Row => ({
  customer: { id: ACCOUNT.id },
  campaign: { id: CAMPAIGN },
  adGroup: { id: GROUP },
  segments: { date: DAY, ...segments },
  metrics: { impressions: '10', clicks: '2', costMicros: '1500000' },
  ...more,
});
const answerRows = (...results: Row[]) => search.answer((_seen, res) => json(res, { results }));
/** Values of the answer's rows with their impressions. */
async function values(id: string): Promise<[string, unknown][]> {
  const { observed, error } = await search.collect(id);
  if (error) throw error;
  return observed.flatMap(({ rows }) =>
    (rows as ObservationRow[]).map((one): [string, unknown] => [one[3], one[4]]),
  );
}
const criterion = (criterionId: string, more: Row) => ({
  adGroupCriterion: { criterionId, ...more },
});

test.each([
  ['a-base', 'FROM customer ', 'customer.id, segments.date, metrics'],
  ['c-hour', 'FROM campaign ', 'campaign.id, segments.date, segments.hour, metrics'],
  ['g-device', 'FROM ad_group ', 'ad_group.id, segments.date, segments.device, metrics'],
  ['d-base', 'FROM ad_group_ad ', 'ad_group_ad.ad.id, segments.date, metrics'],
  ['g-age', 'FROM age_range_view ', 'ad_group_criterion.age_range.type'],
  ['g-gender', 'FROM gender_view ', 'ad_group_criterion.gender.type'],
  ['g-keyword', 'FROM keyword_view ', 'ad_group_criterion.keyword.text'],
  ['g-region', 'FROM user_location_view ', 'user_location_view.targeting_location'],
])('%s asks %s by day, also for what was removed', async (id, from, fields) => {
  answerRows();
  await search.collect(id);
  const [seen] = search.calls();
  const query = seen ? queryOf(seen) : '';
  expect(query).toContain(from);
  expect(query).toContain(fields);
  expect(query).toContain("WHERE segments.date BETWEEN '2026-11-18' AND '2026-11-19' ORDER BY");
  expect(query).not.toContain('status');
  expect(JSON.parse(seen?.body ?? '')).toEqual({ query });
});

test('devices become the words of the interface, and those that share one are added', async () => {
  const device = (name: string | undefined, impressions: string) =>
    row({ ...(name && { device: name }) }, { metrics: { impressions } });
  answerRows(
    device('MOBILE', '1'),
    device('DESKTOP', '2'),
    device('TABLET', '3'),
    device('CONNECTED_TV', '4'),
    device('OTHER', '5'),
    device('SMART_MIRROR', '6'),
    device('UNKNOWN', '7'),
    device(undefined, '8'),
  );
  expect(await values('g-device')).toEqual([
    ['mobile', 1],
    ['desktop', 2],
    ['tablet', 3],
    ['tv', 4],
    ['other', 11],
    ['unknown', 15],
  ]);
});

test('ages become buckets, a bucket without an equal is kept in the same form', async () => {
  const types = [
    'AGE_RANGE_18_24',
    'AGE_RANGE_55_64',
    'AGE_RANGE_65_UP',
    'AGE_RANGE_13_17',
    'AGE_RANGE_UNDETERMINED',
  ];
  answerRows(
    ...types.map((type, index) => row({}, criterion(String(index), { ageRange: { type } }))),
  );
  expect((await values('g-age')).map(([value]) => value)).toEqual([
    '18-24',
    '55-64',
    '65+',
    '13-17',
    'unknown',
  ]);
});

test('genders', async () => {
  const types = ['MALE', 'FEMALE', 'UNDETERMINED'];
  answerRows(
    ...types.map((type, index) => row({}, criterion(String(index), { gender: { type } }))),
  );
  expect((await values('g-gender')).map(([value]) => value)).toEqual(['male', 'female', 'unknown']);
});

test('hours are two digits, and an hour that is left out is midnight', async () => {
  answerRows(row({ hour: 9 }), row({ hour: 23 }), row({}));
  expect((await values('g-hour')).map(([value]) => value)).toEqual(['09', '23', '00']);
  answerRows(row({ hour: 0 }), row({}));
  await expect(values('g-hour')).rejects.toMatchObject({ code: 'duplicate_row' });
});

describe('regions', () => {
  const place = (id: string | undefined, isTargeted: boolean, impressions = '10') =>
    row(id === undefined ? {} : { geoTargetRegion: `geoTargetConstants/${id}` }, {
      userLocationView: {
        countryCriterionId: '2410',
        ...(isTargeted && { targetingLocation: true }),
      },
      metrics: { impressions },
    });
  const names = [
    { geoTargetConstant: { id: '20762', name: 'Limburg', canonicalName: 'Limburg,Netherlands' } },
    {
      geoTargetConstant: {
        id: '20053',
        name: 'Limburg',
        canonicalName: 'Limburg,Flanders,Belgium',
      },
    },
  ];
  const serve = (...results: Row[]) =>
    search.answer((seen, res) =>
      json(res, { results: queryOf(seen).includes('FROM geo_target_constant') ? names : results }),
    );

  test('have their full names, asked for once; targeted or not they are one; without a name their id', async () => {
    serve(
      place('20762', true, '1'),
      place('20762', false, '2'),
      place('20053', true, '4'),
      place('999', true, '8'),
      place(undefined, true, '16'),
    );
    const expected = [
      ['Limburg,Netherlands', 3],
      ['Limburg,Flanders,Belgium', 4],
      ['999', 8],
      ['unknown', 16],
    ];
    expect(await values('g-region')).toEqual(expected);
    expect(await values('g-region')).toEqual(expected);
    const lookups = search
      .calls()
      .map(queryOf)
      .filter((query) => query.includes('geo_target_constant.id IN'));
    expect(lookups).toHaveLength(1);
    expect(lookups[0]).toContain('IN (20762, 20053, 999)');
  });

  test('nothing is given out when their names cannot be asked for', async () => {
    search.answer((seen, res) =>
      queryOf(seen).includes('FROM geo_target_constant')
        ? res.writeHead(503).end()
        : json(res, { results: [place('1', true)] }),
    );
    const { observed, error } = await search.collect('g-region');
    expect([observed, error?.code]).toEqual([[], 'unreachable']);
  });
});

test('rows that share a word are added over the end of a page', async () => {
  const keyword = (criterionId: string, text: string) =>
    row({}, criterion(criterionId, { keyword: { text } }));
  const pages = [
    [keyword('1', 'a'), keyword('2', 'b')],
    [keyword('3', 'b'), keyword('4', 'c')],
  ];
  search.answer(({ body }, res) => {
    const isSecond = JSON.parse(body).pageToken === 'next';
    json(res, isSecond ? { results: pages[1] } : { results: pages[0], nextPageToken: 'next' });
  });
  expect(await values('g-keyword')).toEqual([
    ['a', 10],
    ['b', 20],
    ['c', 10],
  ]);
});

test.each([
  ['another account', row({}, { customer: { id: '1' } }), "'1' in customer.id"],
  ['a day outside', row({ date: '2026-11-17' }), "'2026-11-17' in segments.date"],
  ['no ad group', row({}, { adGroup: undefined }), "'nothing' in ad_group.id"],
  ['a negative count', row({}, { metrics: { clicks: '-1' } }), "'-1' in metrics.clicks"],
  ['half a micro', row({}, { metrics: { costMicros: '1.5' } }), "'1.5' in metrics.cost_micros"],
  ['no number', row({}, { metrics: { conversions: 'NaN' } }), "'NaN' in metrics.conversions"],
])('a row with %s is malformed, by field and value', async (_name, bad, words) => {
  answerRows(row({}), bad);
  const { observed, error } = await search.collect('g-base');
  expect(observed).toEqual([]);
  expect(error).toMatchObject({ code: 'malformed_row', message: expect.stringContaining(words) });
});

test('rows of zeros, and rows without any metric, are no delivery', async () => {
  answerRows(
    row({}, { metrics: { impressions: '0', clicks: '0', conversions: 0 } }),
    row({ date: '2026-11-19' }, { metrics: undefined }),
  );
  expect(await values('g-base')).toEqual([]);
});

test('doubles are read by their digits, whole numbers beyond 2^53 by theirs', async () => {
  const metrics =
    '{"impressions":"9007199254740993","conversions":0.30000000000000004,"conversionsValue":123456789012.123456}';
  search.answer((_seen, res) =>
    res
      .writeHead(200)
      .end(
        `{"results":[{"customer":{"id":"${ACCOUNT.id}"},"segments":{"date":"${DAY}"},"metrics":${metrics}}]}`,
      ),
  );
  const { observed } = await search.collect('a-base');
  expect(observed[0]?.rows).toEqual([
    ['', '', '', '', 9_007_199_254_740_993n, 0, 300_000, 123_456_789_012_123_456n, 0, null, null],
  ]);
});

test('the lists of a campaign, sealed, are those worked out by hand', async () => {
  const age = (type: string, metrics: Row) =>
    row({}, { ...criterion(String(type.length), { ageRange: { type } }), metrics });
  const answers: Record<string, Row[]> = {
    keyword_view: fixture('keyword'),
    age_range_view: [
      age('AGE_RANGE_25_34', {
        impressions: '1000',
        clicks: '30',
        costMicros: '50000000',
        conversions: 2,
      }),
      age('AGE_RANGE_UNDETERMINED', { impressions: '300', clicks: '10', costMicros: '11500000' }),
    ],
    campaign: [
      row(
        {},
        {
          adGroup: undefined,
          metrics: {
            impressions: '1500',
            clicks: '50',
            costMicros: '70000000',
            conversions: 2.433333,
            conversionsValue: 55000,
          },
        },
      ),
    ],
  };
  search.answer((seen, res) => {
    const from = / FROM (\w+) /.exec(queryOf(seen))?.[1] ?? '';
    json(res, { results: answers[from] ?? [] });
  });
  const sets = new Map<SetId, ObservationRow[]>();
  for (const id of ['g-keyword', 'g-age', 'c-base']) {
    const { observed, error } = await search.collect(id);
    expect(error).toBeUndefined();
    for (const { set, rows } of observed) {
      sets.set(set, [...(sets.get(set) ?? []), ...(rows as ObservationRow[])]);
    }
  }
  const channel = CHANNELS.SEARCH_ENGINE_ADS;
  const sealed = seal({ channel, level: 'c', date: DAY, sets, lagging: new Set() });
  const fixed = { reach: null, ppc: null, rimp: null };
  expect(JSON.parse(sealed.entities.get(CAMPAIGN)?.json ?? '')).toEqual({
    date: DAY,
    // ctr 50 / 1500, cpc 70 / 50, cpm 70 / 1500 x 1000.
    total: {
      impressions: 1500,
      clicks: 50,
      conversions: 2.433333,
      amount: 55000,
      spend: 70,
      ...fixed,
      ctr: 3.333333,
      cpc: 1.4,
      cpm: 46.666667,
    },
    age: [
      {
        age: '25-34',
        data: {
          impressions: 1000,
          clicks: 30,
          conversions: 2,
          amount: 0,
          spend: 50,
          ...fixed,
          ctr: 3,
          cpc: 1.666667,
          cpm: 50,
        },
      },
      {
        age: 'unknown',
        data: {
          impressions: 300,
          clicks: 10,
          conversions: 0,
          amount: 0,
          spend: 11.5,
          ...fixed,
          ctr: 3.333333,
          cpc: 1.15,
          cpm: 38.333333,
        },
      },
      // 1500 - 1300, 50 - 40, 2.433333 - 2, 55000 - 0, 70 - 61.5.
      {
        age: 'unattributed',
        data: {
          impressions: 200,
          clicks: 10,
          conversions: 0.433333,
          amount: 55000,
          spend: 8.5,
          ...fixed,
          ctr: 5,
          cpc: 0.85,
          cpm: 42.5,
        },
      },
    ],
    gender: [],
    device: [],
    region: [],
    hour: [],
    keyword: [
      // Three criteria of one text: 1203 + 97 + 100, 41 + 0 + 9, 1.333333 + 0.1 + 1, 45000.5 + 9999.5, 61.5 + 8.5.
      {
        keyword: 'running shoes',
        data: {
          impressions: 1400,
          clicks: 50,
          conversions: 2.433333,
          amount: 55000,
          spend: 70,
          ...fixed,
          ctr: 3.571429,
          cpc: 1.4,
          cpm: 50,
        },
      },
      {
        keyword: 'unattributed',
        data: {
          impressions: 100,
          clicks: 0,
          conversions: 0,
          amount: 0,
          spend: 0,
          ...fixed,
          ctr: 0,
          cpc: 0,
          cpm: 0,
        },
      },
    ],
  });
});
