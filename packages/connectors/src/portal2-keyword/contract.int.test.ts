import { describeConnectorContract } from '../testing/contract.ts';
import {
  ACCOUNT,
  AD_GROUP,
  askedFor,
  CAMPAIGN,
  fixture,
  openKeyword,
  row,
  source,
  TOKEN,
} from '../testing/portal2-keyword.ts';
import { json } from '../testing/scripted-server.ts';

const deviceRows = fixture('campaign-device').data;
const secondRows = [
  row({ campaignId: '3333333332', device: 'WATCH' }, {}, '20261119'),
  row({ campaignId: '3333333332', device: 'FRIDGE' }, { spending: '0.333333' }, '20261119'),
];
const unlisted = row({ campaignId: 3333333339 });

/** By path and parameters; the platform's ids are numbers here and text there. */
const LISTS: Record<string, unknown> = {
  campaigns: [
    { bizChannelId: '22', id: CAMPAIGN, name: '캠페인 1', config: 'ON' },
    { bizChannelId: '22', id: 3333333332, name: 'Two', config: 'OFF' },
  ],
  'campaigns config=DEL': [
    { bizChannelId: '22', id: '3333333333', name: 'Three', config: 'DEL' },
    { bizChannelId: '22', id: CAMPAIGN, name: 'removed meanwhile', config: 'DEL' },
  ],
  'creatives/basic bizChannelId=22 limit=1000 page=0': { content: [{ id: '66', name: '소재 1' }] },
  [`adGroups campaignId=${CAMPAIGN}`]: [{ id: AD_GROUP, name: '그룹 “A”', config: 'ON' }],
  [`creativeLinks adGroupId=${AD_GROUP}`]: [
    { creativeLinkId: '77', adGroupId: AD_GROUP, creativeId: '66', config: 'ON' },
    { creativeLinkId: 78, adGroupId: AD_GROUP, creativeId: '69', config: 'PAUSED?' },
  ],
  [`creativeLinks adGroupId=${AD_GROUP} config=DEL`]: [
    { creativeLinkId: '79', adGroupId: AD_GROUP, creativeId: '66', config: 'DEL' },
  ],
};

function answerList(seen: Parameters<typeof askedFor>[0]): unknown {
  const asked = askedFor(seen);
  if (!asked.includes('/report')) return LISTS[asked] ?? [];
  if (asked.startsWith('campaigns/report'))
    return { data: [row({ campaignId: 3333333331 }), unlisted] };
  if (!asked.includes('campaignId=3333333339')) return { data: [] };
  return { data: [row({ adGroupId: 4444444449, creativeLinkId: 7777777779 })] };
}

describeConnectorContract('PORTAL2_KEYWORD', {
  open: openKeyword,
  credentials: { businessToken: TOKEN },
  settings: () => ({}),
  secrets: [TOKEN],
  accountsAnswer: fixture('accounts'),
  accounts: [
    { id: ACCOUNT.id, title: '찻집 키워드', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' },
    {
      id: '4111111112',
      title: '4111111112',
      zone: 'Asia/Seoul',
      currency: 'KRW',
      status: 'paused',
    },
  ],
  entities: {
    answer: answerList,
    expected: [
      { level: 'c', id: CAMPAIGN, parent: ACCOUNT.id, title: '캠페인 1', status: 'active' },
      { level: 'c', id: '3333333332', parent: ACCOUNT.id, title: 'Two', status: 'paused' },
      { level: 'c', id: '3333333333', parent: ACCOUNT.id, title: 'Three', status: 'removed' },
      { level: 'g', id: AD_GROUP, parent: CAMPAIGN, title: '그룹 “A”', status: 'active' },
      { level: 'd', id: '77', parent: AD_GROUP, title: '소재 1', status: 'active' },
      { level: 'd', id: '78', parent: AD_GROUP, title: '78', status: 'unknown' },
      { level: 'd', id: '79', parent: AD_GROUP, title: '소재 1', status: 'removed' },
      // Of a kind that only the reports tell of: no list names it.
      { level: 'c', id: '3333333339', parent: ACCOUNT.id, title: '3333333339', status: 'unknown' },
      {
        level: 'g',
        id: '4444444449',
        parent: '3333333339',
        title: '4444444449',
        status: 'unknown',
      },
      {
        level: 'd',
        id: '7777777779',
        parent: '4444444449',
        title: '7777777779',
        status: 'unknown',
      },
    ],
  },
  request: { account: ACCOUNT, source: source('c-device'), from: '2026-11-18', to: '2026-11-19' },
  page: (data) => ({ data }),
  rows: [deviceRows, secondRows],
  observed: [
    {
      day: '2026-11-18',
      set: 'c-device',
      rows: [
        // 1 purchase of 30,000; 1,500 won = 1,500,000,000 millionths; the platform's ctr, ppc and rank are left.
        [CAMPAIGN, '', '', 'desktop', 400, 5, 1_000_000, 30_000_000_000, 1_500_000_000, 500, null],
        [CAMPAIGN, '', '', 'mobile', 550, 15, 2_000_000, 60_000_000_000, 3_500_000_000, 650, null],
      ],
    },
    {
      day: '2026-11-19',
      set: 'c-device',
      rows: [
        // Two devices without a word of ours: 10 + 10, 2 + 2, 1 + 1, 5,000 + 5,000, 1,000 + 0.333333, 12 + 12.
        ['3333333332', '', '', 'other', 20, 4, 2_000_000, 10_000_000_000, 1_000_333_333, 24, null],
      ],
    },
  ],
  spoilt: [
    ...deviceRows.slice(0, 1),
    row({ campaignId: CAMPAIGN, device: 'MOBILE' }, { imp: '1,234' }),
  ],
  throttle: (res) => json(res, { code: -813, msg: '허용된 API 요청을 초과하였습니다.' }, 429),
  authLost: (res) => json(res, { code: -401, msg: 'this access token does not exist' }, 401),
});
