import { describeConnectorContract } from '../testing/contract.ts';
import { json, type Seen } from '../testing/scripted-server.ts';
import {
  ACCOUNT,
  CREDENTIALS,
  fixture,
  grantToken,
  MANAGER,
  openSearch,
  queryOf,
  refusal,
  SECRETS,
  source,
} from '../testing/search-engine-ads.ts';

const rows = fixture('keyword');
const later = {
  ...rows[0],
  segments: { date: '2026-11-19' },
  // The largest plain number and a double with more digits than we keep.
  metrics: { impressions: '9007199254740991', costMicros: '1', conversions: 0.1234567 },
};
const CAMPAIGN = '20111222333';
const entityRows = (seen: Seen) =>
  queryOf(seen).endsWith(' FROM campaign')
    ? [{ campaign: { id: CAMPAIGN, name: '가을', status: 'ENABLED' } }]
    : queryOf(seen).endsWith(' FROM ad_group')
      ? [{ campaign: { id: CAMPAIGN }, adGroup: { id: '15', name: 'Shoes', status: 'PAUSED' } }]
      : [{ adGroup: { id: '15' }, adGroupAd: { ad: { id: '77' }, status: 'REMOVED' } }];

describeConnectorContract('SEARCH_ENGINE_ADS', {
  open: openSearch,
  credentials: CREDENTIALS,
  settings: () => ({}),
  secrets: SECRETS,
  prelude: grantToken,
  leaves: ({ url }) => (url.pathname.endsWith(':search') ? 2 : 1),
  accountsAnswer: {
    results: [
      { customerClient: { id: MANAGER, manager: true, descriptiveName: 'All', status: 'ENABLED' } },
      {
        customerClient: {
          id: ACCOUNT.id,
          descriptiveName: 'Shop',
          status: 'ENABLED',
          currencyCode: 'KRW',
          timeZone: 'Asia/Seoul',
        },
      },
      {
        customerClient: {
          id: '1234567891',
          status: 'CANCELED',
          currencyCode: 'USD',
          timeZone: 'America/New_York',
        },
      },
    ],
  },
  accounts: [
    { id: ACCOUNT.id, title: 'Shop', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' },
    {
      id: '1234567891',
      title: '1234567891',
      zone: 'America/New_York',
      currency: 'USD',
      status: 'closed',
    },
  ],
  entities: {
    answer: (seen) => ({ results: entityRows(seen) }),
    expected: [
      { level: 'c', id: CAMPAIGN, parent: ACCOUNT.id, title: '가을', status: 'active' },
      { level: 'g', id: '15', parent: CAMPAIGN, title: 'Shoes', status: 'paused' },
      { level: 'd', id: '77', parent: '15', title: '77', status: 'removed' },
    ],
  },
  request: { account: ACCOUNT, source: source('g-keyword'), from: '2026-11-18', to: '2026-11-19' },
  page: (results, nextPageToken) => ({
    ...(results.length > 0 && { results }),
    fieldMask: 'customer.id',
    queryResourceConsumption: '1234',
    ...(nextPageToken && { nextPageToken }),
  }),
  cursorOf: ({ body }) => JSON.parse(body).pageToken ?? null,
  rows: [rows.slice(0, 2), [...rows.slice(2), later]],
  observed: [
    {
      day: '2026-11-18',
      set: 'g-keyword',
      rows: [
        // Two match types: 1203 + 97, 41 + 0, 1.333333 + 0.1, 45000.5, 61.5.
        [
          CAMPAIGN,
          '150111222333',
          '',
          'running shoes',
          1300,
          41,
          1_433_333,
          45_000_500_000,
          61_500_000,
          null,
          null,
        ],
        [
          CAMPAIGN,
          '150111222444',
          '',
          'running shoes',
          100,
          9,
          1_000_000,
          9_999_500_000,
          8_500_000,
          null,
          null,
        ],
      ],
    },
    {
      day: '2026-11-19',
      set: 'g-keyword',
      rows: [
        [
          CAMPAIGN,
          '150111222333',
          '',
          'running shoes',
          9_007_199_254_740_991,
          0,
          123_457,
          0,
          1,
          null,
          null,
        ],
      ],
    },
  ],
  spoilt: [rows[2], { ...rows[3], metrics: { impressions: '1,234' } }],
  throttle: (res) => {
    const quotaErrorDetails = { rateScope: 'DEVELOPER', rateName: 'x', retryDelay: '420s' };
    json(
      res,
      refusal(['quotaError', 'RESOURCE_EXHAUSTED'], { details: { quotaErrorDetails } }),
      429,
    );
  },
  authLost: (res) => json(res, refusal(['authorizationError', 'USER_PERMISSION_DENIED']), 403),
});
