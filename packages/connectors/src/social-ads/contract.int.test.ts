import { createHmac } from 'node:crypto';
import { describeConnectorContract } from '../testing/contract.ts';
import { json } from '../testing/scripted-server.ts';
import {
  ACCOUNT,
  CAMPAIGN,
  fixture,
  openSocialAds,
  source,
  throttle,
} from '../testing/social-ads.ts';

const deviceRows = fixture('campaign-device').data;
const secondRows = [
  {
    account_id: ACCOUNT.id,
    campaign_id: CAMPAIGN,
    date_start: '2026-11-19',
    date_stop: '2026-11-19',
    impressions: '10',
    clicks: '1',
    spend: '0.333333',
    reach: '9',
    device_platform: 'mobile_web',
  },
  {
    account_id: ACCOUNT.id,
    campaign_id: CAMPAIGN,
    date_start: '2026-11-19',
    date_stop: '2026-11-19',
    impressions: '7',
    clicks: '0',
    spend: '0.07',
    reach: '7',
    device_platform: 'connected_tv',
  },
];

describeConnectorContract('SOCIAL_ADS', {
  open: openSocialAds,
  credentials: { accessToken: 'EAAB-secret-token', appSecret: 'app-secret' },
  settings: () => ({}),
  secrets: [
    'EAAB-secret-token',
    'app-secret',
    createHmac('sha256', 'app-secret').update('EAAB-secret-token').digest('hex'),
  ],
  accountsAnswer: fixture('accounts'),
  accounts: [
    { id: ACCOUNT.id, title: 'Tea House', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' },
    {
      id: '104209876543211',
      title: 'Old shop',
      zone: 'America/Los_Angeles',
      currency: 'USD',
      status: 'closed',
    },
  ],
  request: { account: ACCOUNT, source: source('c-device'), from: '2026-11-18', to: '2026-11-19' },
  page: (data, next) => ({
    data,
    paging: next
      ? { cursors: { before: 'x', after: next }, next: `https://elsewhere.example/?after=${next}` }
      : { cursors: { before: 'x', after: 'y' } },
  }),
  cursorOf: ({ url }) => url.searchParams.get('after'),
  rows: [deviceRows, secondRows],
  observed: [
    {
      day: '2026-11-18',
      set: 'c-device',
      rows: [
        // mobile_app + mobile_web: 839 + 161, 12 + 3, 2 + 0 omni_purchase, 61.5 + 0, 14.25 + 0.75; people cannot be added.
        [CAMPAIGN, '', '', 'mobile', 1000, 15, 2_000_000, 61_500_000, 15_000_000, null, null],
        // One purchase without a value: amount 0. 1.1 = 1,100,000 millionths.
        [CAMPAIGN, '', '', 'desktop', 40, 1, 1_000_000, 0, 1_100_000, null, 31],
        [CAMPAIGN, '', '', 'unknown', 5, 0, 0, 0, 0, null, 5],
      ],
    },
    {
      day: '2026-11-19',
      set: 'c-device',
      rows: [
        [CAMPAIGN, '', '', 'mobile', 10, 1, 0, 0, 333_333, null, null],
        [CAMPAIGN, '', '', 'other', 7, 0, 0, 0, 70_000, null, null],
      ],
    },
  ],
  spoilt: [...deviceRows.slice(1, 3), { ...secondRows[0], impressions: '1,234' }],
  throttle: (res) => json(res, ...throttle({ code: 80000 }, 7)),
  authLost: (res) =>
    json(
      res,
      {
        error: {
          message: 'Session has expired',
          type: 'OAuthException',
          code: 190,
          error_subcode: 463,
        },
      },
      400,
    ),
});
