import type { ObservationRow } from '@tributary/shared';
import { AD_GROUP, CAMPAIGN, FIGURES, row, useKeyword } from '../testing/portal2-keyword.ts';

const platform = useKeyword();
const find = { data: [row({ campaignId: CAMPAIGN })] };
const keywords = (dimensions: object[]) => ({ data: dimensions.map((one) => row(one)) });
const byConfig = (present: unknown[], removed: unknown[]) => (seen: { url: URL }) =>
  seen.url.searchParams.get('config') === 'DEL' ? removed : present;
const values = async () => {
  const { observed, error } = await platform.collect('g-keyword');
  expect(error).toBeUndefined();
  return observed.flatMap(({ rows }) => rows as ObservationRow[]); // The channel is no blog.
};
const lists = () => platform.asked().filter((one) => !one.includes('/report'));

test('the report knows ids, the lists the texts, removed ones included; they are read once', async () => {
  platform.answers({
    'campaigns/report': find,
    'keywords/report': keywords([
      { adGroupId: AD_GROUP, keywordId: 51 },
      { adGroupId: AD_GROUP, keywordId: '52' },
    ]),
    keywords: byConfig([{ id: '51', text: '러닝화 "할인"' }], [{ id: 52, text: 'trail, 남성' }]),
  });
  const expected = [
    [CAMPAIGN, AD_GROUP, '', '러닝화 "할인"', ...FIGURES],
    [CAMPAIGN, AD_GROUP, '', 'trail, 남성', ...FIGURES],
  ];
  expect(await values()).toEqual(expected);
  expect(await values()).toEqual(expected);
  expect(lists()).toEqual([
    `keywords adGroupId=${AD_GROUP}`,
    `keywords adGroupId=${AD_GROUP} config=DEL`,
  ]);
});

test('two keywords of one text in an ad group are added up, in two ad groups they are not', async () => {
  platform.answers({
    'campaigns/report': find,
    'keywords/report': keywords([
      { adGroupId: '41', keywordId: 51 },
      { adGroupId: '41', keywordId: 52 },
      { adGroupId: '42', keywordId: 53 },
    ]),
    keywords: ({ url }: { url: URL }) =>
      url.searchParams.get('adGroupId') === '41'
        ? [51, 52].map((id) => ({ id, text: 'shoe' }))
        : [{ id: 53, text: 'shoe' }],
  });
  expect(await values()).toEqual([
    [CAMPAIGN, '41', '', 'shoe', 20, 4, 2_000_000, 10_000_000_000, 2_000_000_000, 24, null],
    [CAMPAIGN, '42', '', 'shoe', ...FIGURES],
  ]);
});

test('a keyword that no list names keeps its id, and is asked for again after six hours', async () => {
  platform.answers({
    'campaigns/report': find,
    'keywords/report': keywords([{ adGroupId: AD_GROUP, keywordId: 51 }]),
    // Neither list is there: the platform refuses the ad group, as it does for campaigns of another kind.
  });
  expect(await values()).toEqual([[CAMPAIGN, AD_GROUP, '', '51', ...FIGURES]]);
  await values();
  expect(lists()).toHaveLength(1);
  platform.clock.time += 6 * 3_600_000;
  await values();
  expect(lists()).toHaveLength(2);
});

test('where the report does not tell the ad group, the lists do; what they do not know is in no entry', async () => {
  platform.answers({
    'campaigns/report': find,
    'keywords/report': keywords([{ keywordId: 51 }, { keywordId: 59 }]),
    adGroups: byConfig([{ id: '41' }], [{ id: '42' }]),
    keywords: ({ url }: { url: URL }) =>
      url.searchParams.get('adGroupId') === '42' ? [{ id: 51, text: 'shoe' }] : [],
  });
  expect(await values()).toEqual([[CAMPAIGN, '42', '', 'shoe', ...FIGURES]]);
});

test('an outage of the lists ends the reading: no text is taken for an id', async () => {
  platform.server().answer(({ url }, res) => {
    if (url.pathname.endsWith('/keywords')) return res.writeHead(503).end('busy');
    const body = url.pathname.includes('campaigns')
      ? find
      : keywords([{ adGroupId: '41', keywordId: 51 }]);
    return res.writeHead(200).end(JSON.stringify(body));
  });
  const { observed, error } = await platform.collect('g-keyword');
  expect(observed).toEqual([]);
  expect(error).toMatchObject({ code: 'unreachable' });
  platform.answers({
    'campaigns/report': find,
    'keywords/report': keywords([{ adGroupId: '41', keywordId: 51 }]),
    keywords: [{ id: '51', text: 'shoe' }],
  });
  expect((await values())[0]?.[3]).toBe('shoe');
});
