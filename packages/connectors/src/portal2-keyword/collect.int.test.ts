import { RetryableError } from '@tributary/runtime';
import type { ObservationRow } from '@tributary/shared';
import {
  ACCOUNT,
  AD_GROUP,
  CAMPAIGN,
  FIGURES,
  fixture,
  row,
  useKeyword,
} from '../testing/portal2-keyword.ts';

const platform = useKeyword();
const OTHER = '3333333332';
const BASE =
  'end=20261119 metricsGroups=BASIC,ADDITION,PIXEL_SDK_CONVERSION start=20261118 timeUnit=DAY';
const FIND = `campaigns/report ${BASE}`;

/** The campaigns that the platform's campaign report names. */
const campaigns = (...ids: string[]) => ({ data: ids.map((campaignId) => row({ campaignId })) });
const rowsOf = ({ observed }: { observed: { rows: readonly unknown[] }[] }) =>
  observed.flatMap(({ rows }) => rows as ObservationRow[]); // The channel is no blog.

describe('the questions', () => {
  test('the account is asked for delivery alone', async () => {
    platform.answers({ 'adAccounts/report': { data: [row({ adAccountId: 4111111111 })] } });
    expect((await platform.collect('a-base')).observed).toEqual([
      {
        day: '2026-11-18',
        set: 'a-base',
        rows: [['', '', '', '', 10, 2, null, null, 1_000_000_000, null, null]],
      },
    ]);
    expect(platform.asked()).toEqual([
      'adAccounts/report end=20261119 metricsGroups=BASIC start=20261118 timeUnit=DAY',
    ]);
    expect(platform.server().seen[0]?.headers.adaccountid).toBe(ACCOUNT.id);
  });

  test('campaigns come in one report, ad groups and ads in one for each campaign that delivered', async () => {
    platform.answers({
      'campaigns/report': campaigns(CAMPAIGN, OTHER, CAMPAIGN),
      'adGroups/report': { data: [] },
      'creatives/report': { data: [] },
    });
    await platform.collect('c-base');
    await platform.collect('g-base');
    await platform.collect('d-base');
    expect(platform.asked()).toEqual([
      FIND,
      FIND,
      `adGroups/report campaignId=${CAMPAIGN} ${BASE}`,
      `adGroups/report campaignId=${OTHER} ${BASE}`,
      `creatives/report campaignId=${CAMPAIGN} ${BASE}`,
      `creatives/report campaignId=${OTHER} ${BASE}`,
    ]);
    const families = new Set(
      platform.budget().taken.map((key) => key.split('/').slice(2).join('/')),
    );
    expect([...families]).toEqual([`${ACCOUNT.id}/reports`]);
  });

  test('a campaign that appears is found a minute later, and at once for another window', async () => {
    platform.answers({ 'campaigns/report': campaigns(CAMPAIGN), 'adGroups/report': { data: [] } });
    await platform.collect('g-base');
    platform.answers({
      'campaigns/report': campaigns(CAMPAIGN, OTHER),
      'adGroups/report': { data: [] },
    });
    await platform.collect('g-base');
    const isAsked = () => platform.asked().some((one) => one.includes(`campaignId=${OTHER}`));
    expect(isAsked()).toBe(false);
    await platform.collect('g-base', {}, '2026-11-18');
    expect(isAsked()).toBe(true);
    platform.server().seen.splice(0);
    platform.clock.time += 60_000;
    await platform.collect('g-base');
    expect(isAsked()).toBe(true);
  });

  test.each([
    ['c-device', {}, 'DEVICE'],
    ['c-hour', {}, 'HOUR'],
    ['g-placement', {}, 'PLACEMENT'],
    ['c-device', { dimensions: { device: 'DEVICE_TYPE' } }, 'DEVICE_TYPE'],
  ])('%s with %p asks for the dimension %s', async (id, settings, dimension) => {
    platform.answers({ 'campaigns/report': campaigns(CAMPAIGN), 'adGroups/report': { data: [] } });
    await platform.collect(id, settings);
    expect(platform.asked().at(-1)).toContain(`dimension=${dimension}`);
  });

  test('a report that is too large is asked for in halves, down to single days', async () => {
    const long = 'x'.repeat(30_000);
    platform.answers({
      'campaigns/report': ({ url }: { url: URL }) => {
        const [start, end] = ['start', 'end'].map((name) => url.searchParams.get(name));
        if (start !== end) return { data: [row({ campaignId: CAMPAIGN, long })] };
        return { data: [row({ campaignId: CAMPAIGN }, {}, start ?? '')] };
      },
    });
    const { observed, error } = await platform.collect('c-base', {}, '2026-11-20');
    expect(error).toBeUndefined();
    expect(observed.map(({ day }) => day)).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
  });
});

describe('the rows', () => {
  test('snake case, numbers as text and an hour without a value: the rest is left to sealing', async () => {
    platform.answers({
      'campaigns/report': campaigns(CAMPAIGN),
      'adGroups/report': fixture('ad-group-hour'),
    });
    expect((await platform.collect('g-hour')).observed).toEqual([
      {
        day: '2026-11-18',
        set: 'g-hour',
        rows: [
          [
            CAMPAIGN,
            AD_GROUP,
            '',
            '09',
            990,
            20,
            3_000_000,
            90_000_000_000,
            5_000_500_000,
            1190,
            null,
          ],
        ],
      },
    ]);
  });

  test('an ad is the link of a creative', async () => {
    const dimensions = { adGroupId: AD_GROUP, creativeLinkId: 7777777771 };
    platform.answers({
      'campaigns/report': campaigns(CAMPAIGN),
      'creatives/report': { data: [row(dimensions)] },
    });
    expect(rowsOf(await platform.collect('d-base'))).toEqual([
      [CAMPAIGN, AD_GROUP, '7777777771', '', ...FIGURES],
    ]);
  });

  test('an id beyond 2^53 keeps its digits', async () => {
    platform.server().answer((_seen, res) => {
      const text = JSON.stringify({ data: [row({ campaignId: '#' })] });
      res.writeHead(200).end(text.replace('"#"', '120210987654321987'));
    });
    expect(rowsOf(await platform.collect('c-base'))[0]?.[0]).toBe('120210987654321987');
  });

  test('conversions of the window that the link has chosen', async () => {
    platform.answers({ 'campaigns/report': fixture('campaign') });
    const sales = async (settings: object) =>
      rowsOf(await platform.collect('c-base', settings)).map((one) => one.slice(6, 8));
    expect(await sales({})).toEqual([[3_000_000, 90_000_000_000]]);
    expect(await sales({ conversionWindowDays: 7 })).toEqual([[3_000_000, 90_000_000_000]]);
    expect(await sales({ conversionWindowDays: 1 })).toEqual([[1_000_000, 25_000_000_000]]);
  });

  test.each([
    ['an hour of 24', { hour: 24 }, {}, "'24' in hour"],
    ['an hour in words', { hour: '9시' }, {}, "'9시' in hour"],
    ['no key of the dimension at all', {}, {}, "'nothing' in hour"],
    ['a count with a comma', { hour: 1 }, { imp: '1,000' }, "'1,000' in imp"],
    ['negative spend', { hour: 1 }, { spending: -1 }, "'-1' in spending"],
    ['no conversions', { hour: 1 }, { convPurchase7d: undefined }, "'nothing' in convPurchase7d"],
    ['conversions of null', { hour: 1 }, { convPurchaseP7d: null }, "'nothing' in convPurchaseP7d"],
    ['another ad account', { hour: 1, adAccountId: '9' }, {}, "'9' in adAccountId"],
    ['no campaign', { hour: 1, campaignId: '' }, {}, "'nothing' in campaignId"],
  ])('%s ends the answer with field and value', async (_name, dimensions, metrics, words) => {
    const good = row({ campaignId: CAMPAIGN, hour: 3 });
    const bad = row({ campaignId: CAMPAIGN, ...dimensions }, metrics);
    platform.answers({ 'campaigns/report': { data: [good, bad] } });
    const { observed, error } = await platform.collect('c-hour');
    expect(error).toBeInstanceOf(RetryableError);
    expect(error?.code).toBe('malformed_row');
    expect(error?.message).toContain(words);
    expect(observed).toEqual([]);
  });

  test.each([
    ['a day outside the window', row({ campaignId: CAMPAIGN }, {}, '20261117'), 'malformed_row'],
    ['another campaign', row({ campaignId: OTHER, adGroupId: AD_GROUP }), 'malformed_row'],
    ['two spellings of a field', row({ adGroupId: '1', ad_group_id: '1' }), 'malformed_answer'],
  ])('%s is no row of the question', async (_name, told, code) => {
    platform.answers({
      'campaigns/report': campaigns(CAMPAIGN),
      'adGroups/report': { data: [told] },
    });
    expect((await platform.collect('g-base')).error).toMatchObject({ code });
  });

  test('an ad group that two campaigns claim is refused, not added up', async () => {
    platform.answers({
      'campaigns/report': campaigns(CAMPAIGN, OTHER),
      'adGroups/report': { data: [row({ adGroupId: AD_GROUP })] },
    });
    expect((await platform.collect('g-base')).error).toMatchObject({ code: 'duplicate_row' });
  });

  test('empty metrics are an error and no zeros', async () => {
    const empty = { ...row({ campaignId: CAMPAIGN }), metrics: {} };
    platform.answers({ 'campaigns/report': { data: [empty] } });
    expect((await platform.collect('c-base')).error).toMatchObject({ code: 'malformed_row' });
  });
});
