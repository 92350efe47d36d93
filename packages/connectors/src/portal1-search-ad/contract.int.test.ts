import { describeConnectorContract } from '../testing/contract.ts';
import { json } from '../testing/scripted-server.ts';
import {
  ACCOUNT,
  answerLists,
  CAMPAIGN,
  CREDENTIALS,
  CUSTOMER,
  createJobs,
  DAY,
  fixture,
  GROUPS,
  openSearchAd,
  source,
} from '../testing/search-ad.ts';

const lines = fixture('ad').trimEnd().split('\n');
const [group, otherGroup] = GROUPS;
const AD = 'nad-a001-01-0000000000000';
const spoilt = lines.at(-1)?.replace('\t5\t0\t', '\t1,005\t0\t') ?? '';
const jobs = createJobs({ AD: '' });

const AD_GROUP = { nccAdgroupId: group, nccCampaignId: CAMPAIGN, name: '', status: 'PAUSED' };

describeConnectorContract('PORTAL1_SEARCH_AD', {
  open: openSearchAd,
  credentials: CREDENTIALS,
  settings: () => ({}),
  secrets: [CREDENTIALS.apiKey, CREDENTIALS.secretKey, 'c2lnbmF0dXJl'],
  prelude: (seen, res) =>
    jobs.prelude(seen, res) || (seen.url.searchParams.has('ids') && answerLists(seen, res)),
  accountsAnswer: {
    content: [
      { adAccount: { name: 'Other', masterCustomerId: 7, currency: 'KRW' } },
      {
        adAccount: {
          name: '검색 상점',
          masterCustomerId: Number(CUSTOMER),
          currency: 'KRW',
          timezone: 'Asia/Seoul',
        },
        roleName: 'MASTER',
      },
    ],
    totalPages: 1,
  },
  accounts: [
    { id: CUSTOMER, title: '검색 상점', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' },
  ],
  entities: {
    answer: ({ url }) =>
      ({
        '/ncc/campaigns': [{ nccCampaignId: CAMPAIGN, name: '캠페인', status: 'ELIGIBLE' }],
        '/ncc/adgroups': [AD_GROUP],
        '/ncc/ads': [
          { nccAdId: `${AD}21`, nccAdgroupId: group, ad: { headline: '소재' }, status: 'ELIGIBLE' },
          { nccAdId: `${AD}22`, nccAdgroupId: group, ad: {}, status: 'SOMETHING' },
        ],
      })[url.pathname],
    expected: [
      { level: 'c', id: CAMPAIGN, parent: CUSTOMER, title: '캠페인', status: 'active' },
      { level: 'g', id: group, parent: CAMPAIGN, title: group, status: 'paused' },
      { level: 'd', id: `${AD}21`, parent: group, title: '소재', status: 'active' },
      { level: 'd', id: `${AD}22`, parent: group, title: `${AD}22`, status: 'unknown' },
    ],
  },
  request: { account: ACCOUNT, source: source('ad'), from: DAY, to: DAY },
  page: (rows) => rows.map((row) => `${String(row)}\n`).join(''),
  rows: [lines.slice(0, 4), lines.slice(4)],
  observed: [
    {
      day: DAY,
      set: 'd-base',
      rows: [
        // 839 + 161 + 40 + 10, 12 + 3 + 1, 14,250.5 + 750 + 12,500,007.5; the other file is NONE: no conversions.
        [CAMPAIGN, group, `${AD}21`, '', 1050, 16, 0, 0, 12_515_008_000_000, null, null],
        [CAMPAIGN, group, `${AD}22`, '', 0, 1, 0, 0, 300_333_333, null, null],
        [CAMPAIGN, otherGroup, `${AD}23`, '', 5, 0, 0, 0, 0, null, null],
      ],
    },
    {
      day: DAY,
      set: 'g-keyword',
      rows: [
        [CAMPAIGN, group, '', '운동화 1', 1040, 16, 0, 0, 12_515_008_000_000, null, null],
        // The platform no longer tells its name.
        [CAMPAIGN, group, '', 'nkw-a001-01-000000000000039', 0, 1, 0, 0, 300_333_333, null, null],
        [CAMPAIGN, otherGroup, '', '운동화 2', 5, 0, 0, 0, 0, null, null],
      ],
    },
    {
      day: DAY,
      set: 'g-device',
      rows: [
        [CAMPAIGN, group, '', 'mobile', 1010, 15, 0, 0, 15_000_500_000, null, null],
        [CAMPAIGN, group, '', 'desktop', 40, 2, 0, 0, 12_500_307_833_333, null, null],
        [CAMPAIGN, otherGroup, '', 'mobile', 5, 0, 0, 0, 0, null, null],
      ],
    },
  ],
  spoilt: [...lines.slice(0, 2), spoilt],
  throttle: (res) => json(res, { code: 429, message: 'Too Many Requests' }, 429),
  authLost: (res) =>
    json(
      res,
      {
        signature: 'c2lnbmF0dXJl',
        status: 403,
        type: 'urn:naver:api:problem:invalid-signature',
        title: 'Invalid Signature',
        detail: "Signature 'c2lnbmF0dXJl' is invalid.",
      },
      403,
    ),
});
