import { RetryableError } from '@tributary/runtime';
import type { Entity } from '@tributary/shared';
import { json } from '../testing/scripted-server.ts';
import { ACCOUNT, access, fixture, row, useSocialAds } from '../testing/social-ads.ts';

const social = useSocialAds();

test('asks for exactly what a list needs and never lists the breakdown among the fields', async () => {
  social.answerRows();
  await social.collect('g-age');
  const asked = social.server().seen[0];
  expect(asked?.url.pathname).toBe(`/v26.0/act_${ACCOUNT.id}/insights`);
  expect(Object.fromEntries(asked?.url.searchParams ?? [])).toEqual({
    level: 'adset',
    time_increment: '1',
    time_range: '{"since":"2026-11-18","until":"2026-11-19"}',
    fields: 'account_id,campaign_id,adset_id,impressions,clicks,spend,reach,actions,action_values',
    breakdowns: 'age',
    filtering: expect.stringContaining('"adset.effective_status","operator":"IN"'),
    use_account_attribution_setting: 'true',
    limit: '500',
    access_token: 'EAAB-secret-token',
  });
  expect(social.budget().taken).toEqual([`SOCIAL_ADS/77/${ACCOUNT.id}/insights`]);
});

test('hours are two digits, without reach and conversions, and a row without an hour is no entry', async () => {
  social.server().answer((_seen, res) => json(res, fixture('account-hour')));
  const { observed, error } = await social.collect('a-hour');
  expect(error).toBeUndefined();
  expect(social.server().seen[0]?.url.searchParams.get('fields')).toBe(
    'account_id,impressions,clicks,spend',
  );
  expect(observed).toEqual([
    {
      day: '2026-11-18',
      set: 'a-hour',
      rows: [
        ['', '', '', '00', 120, 4, null, null, 3_070_000, null, null],
        ['', '', '', '23', 88, 1, null, null, 2_900_000, null, null],
      ],
    },
  ]);
});

test.each([
  [
    'an hour that is no hour',
    'a-hour',
    row({ hourly_stats_aggregated_by_advertiser_time_zone: '24:00:00 - 24:59:59' }),
  ],
  ['another account', 'a-base', row({ account_id: '1' })],
  ['a day before the window', 'a-base', row({ date_start: '2026-11-17', date_stop: '2026-11-17' })],
  ['a day after the window', 'a-base', row({ date_start: '2026-11-20', date_stop: '2026-11-20' })],
  ['two days in one row', 'a-base', row({ date_stop: '2026-11-19' })],
  ['a campaign row without its id', 'c-base', row()],
  ['a negative spend', 'a-base', row({ spend: '-0.01' })],
  ['a grouped number', 'a-base', row({ spend: '1,234.5' })],
  ['NaN', 'a-base', row({ clicks: 'NaN' })],
  ['a broken count', 'a-base', row({ impressions: '1.5' })],
  [
    'one action type twice',
    'a-base',
    row({
      actions: [
        { action_type: 'omni_purchase', value: '1' },
        { action_type: 'omni_purchase', value: '2' },
      ],
    }),
  ],
  ['an action without a value', 'a-base', row({ actions: [{ action_type: 'omni_purchase' }] })],
  ['an age list without ages', 'a-age', row()],
])('refuses %s as malformed, giving nothing out', async (_name, id, bad) => {
  social.answerRows(bad);
  const { observed, error } = await social.collect(id);
  expect(error).toBeInstanceOf(RetryableError);
  expect(error?.code).toMatch(/^malformed/);
  expect(observed).toEqual([]);
});

test('counts only the action type of the link, at its default value', async () => {
  const actions = [
    { action_type: 'lead', value: '3' },
    { action_type: 'purchase', value: '1.5' },
  ];
  social.answerRows(row({ actions }));
  const ofLead = await social.collect('a-base', {}, { conversion: 'lead' });
  const ofDefault = await social.collect('a-base');
  expect(ofLead.observed[0]?.rows[0]).toEqual([
    '',
    '',
    '',
    '',
    10,
    2,
    3_000_000,
    0,
    1_000_000,
    null,
    8,
  ]);
  expect(ofDefault.observed[0]?.rows[0]).toEqual(['', '', '', '', 10, 2, 0, 0, 1_000_000, null, 8]);
});

test('figures beyond 2^53 stay exact', async () => {
  social.answerRows(row({ impressions: '9007199254740993', spend: '9007199254.740993' }));
  const { observed } = await social.collect('a-base');
  expect(observed[0]?.rows[0]).toEqual([
    '',
    '',
    '',
    '',
    9007199254740993n,
    2,
    0,
    0,
    9007199254740993n,
    null,
    8,
  ]);
});

test('a region without a name is unknown, has no conversions, and its reach is null where it is left out', async () => {
  social.answerRows(
    row({
      region: 'Seoul',
      reach: undefined,
      actions: [{ action_type: 'omni_purchase', value: '1' }],
    }),
    row({ reach: '3' }),
    row({ region: 'Unknown', reach: '4' }),
  );
  const { observed } = await social.collect('a-region');
  expect(observed.flatMap(({ rows }) => rows)).toEqual([
    ['', '', '', 'Seoul', 10, 2, null, null, 1_000_000, null, null],
    ['', '', '', 'unknown', 20, 4, null, null, 2_000_000, null, null],
  ]);
});

test('a platform row that comes twice is duplicate_row, never added up', async () => {
  social.answerRows(row({ country: 'KR' }), row({ country: 'JP' }), row({ country: 'KR' }));
  expect((await social.collect('a-country')).error?.code).toBe('duplicate_row');
});

test('lists campaigns, ad groups and ads with their parents, archived and deleted ones too', async () => {
  const answers: Record<string, object> = {
    campaigns: { id: 120210987654321, name: 'Spring', effective_status: 'ACTIVE' },
    adsets: { id: '2', name: '', effective_status: 'ARCHIVED', campaign_id: '1' },
    ads: { id: '3', name: 'A', effective_status: 'SOMETHING_NEW', adset_id: '2' },
  };
  social
    .server()
    .answer(({ url }, res) => json(res, { data: [answers[url.pathname.split('/').at(-1) ?? '']] }));
  const listed: Entity[] = [];
  const pages = social.connector().listEntities({ ...access(), account: ACCOUNT });
  for await (const page of pages) listed.push(...page);
  expect(listed).toEqual([
    { level: 'c', id: '120210987654321', parent: ACCOUNT.id, title: 'Spring', status: 'active' },
    { level: 'g', id: '2', parent: '1', title: '2', status: 'removed' },
    { level: 'd', id: '3', parent: '2', title: 'A', status: 'unknown' },
  ]);
  for (const { url } of social.server().seen) {
    expect(url.searchParams.get('filtering')).toContain('"DELETED","ARCHIVED"');
  }
});

test('keeps only the accounts that the link names, and says so when none is reached', async () => {
  social.server().answer((_seen, res) => json(res, fixture('accounts')));
  const one = await social
    .connector()
    .listAccounts(access({ accountIds: ['act_104209876543211'] }));
  expect(one.map(({ id }) => id)).toEqual(['104209876543211']);
  const none = social.connector().listAccounts(access({ accountIds: ['5'] }));
  await expect(none).rejects.toMatchObject({ code: 'no_account', name: 'AuthLostError' });
});
