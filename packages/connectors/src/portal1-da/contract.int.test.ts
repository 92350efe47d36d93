import { describeConnectorContract } from '../testing/contract.ts';
import {
  answerLogin,
  CREDENTIALS,
  fixture,
  list,
  MANAGED,
  OWNED,
  openPortal1Da,
  pathOf,
  SECRETS,
  SHUT,
  source,
} from '../testing/portal1-da.ts';
import { json, type Seen } from '../testing/scripted-server.ts';

const KOREA = { zone: 'Asia/Seoul', currency: 'KRW' };
const first = fixture('campaigns-daily').rows as object[];
const second = fixture('campaigns-daily-text').rows as object[];

function answerAccounts(seen: Seen): unknown {
  if (pathOf(seen) === '/managerAccounts/1602') return fixture('manager');
  const shut = pathOf(seen) === `/adAccounts/${SHUT}`;
  return { no: Number(pathOf(seen).split('/')[2]), name: shut ? null : 'Client', disabled: shut };
}

function answerEntities(seen: Seen): unknown {
  const isDeleted = seen.url.searchParams.get('deleteOnly') === 'true';
  const [, , , name = ''] = pathOf(seen).split('/');
  const lists: Record<string, [live: object[], deleted: object[]]> = {
    campaigns: [
      [
        { no: 1261102, name: 'Spring', activated: true },
        { no: '1261103', name: '', activated: false },
      ],
      [{ no: 1261000, name: 'Winter', activated: false, deleted: true }],
    ],
    adSets: [[{ no: 991, name: 'A/B', campaignNo: 1261102, activated: true }], []],
    creatives: [
      [
        { no: 77, name: 'Banner', campaignNo: 1261102, adSetNo: 991 },
        { no: 78, name: 'Of an asset group', campaignNo: 1261103, adSetNo: null },
      ],
      [],
    ],
  };
  const rows = lists[name]?.[isDeleted ? 1 : 0] ?? [];
  return list(rows, name === 'creatives' ? 'contents' : 'content');
}

describeConnectorContract('PORTAL1_DA', {
  open: openPortal1Da,
  credentials: CREDENTIALS,
  settings: (url) => ({ feedUrl: `${url}/feed` }),
  secrets: SECRETS,
  prelude(seen, res) {
    const login = answerLogin(seen);
    if (login !== undefined) json(res, login);
    return login !== undefined;
  },
  accountsAnswer: answerAccounts,
  accounts: [
    { id: OWNED, title: 'Own shop', ...KOREA, status: 'active' },
    { id: MANAGED, title: 'Client', ...KOREA, status: 'active' },
    { id: SHUT, title: SHUT, ...KOREA, status: 'closed' },
  ],
  entities: {
    answer: answerEntities,
    expected: [
      { level: 'c', id: '1261102', parent: OWNED, title: 'Spring', status: 'active' },
      { level: 'c', id: '1261103', parent: OWNED, title: '1261103', status: 'paused' },
      { level: 'c', id: '1261000', parent: OWNED, title: 'Winter', status: 'removed' },
      { level: 'g', id: '991', parent: '1261102', title: 'A/B', status: 'active' },
      { level: 'd', id: '77', parent: '991', title: 'Banner', status: 'unknown' },
    ],
  },
  request: {
    account: { id: OWNED, ...KOREA },
    source: source('c-base'),
    from: '2026-11-18',
    to: '2026-11-19',
  },
  page: (rows, next) => ({ rows, ...(next && { next }) }),
  cursorOf: ({ url }) => url.searchParams.get('next'),
  rows: [first, second],
  observed: [
    {
      day: '2026-11-18',
      set: 'c-base',
      rows: [
        // 350,097.5 won are spent, 412,300 won are what 7 conversions were worth.
        [
          '1261102',
          '',
          '',
          '',
          25_303,
          194,
          7_000_000,
          412_300_000_000,
          350_097_500_000,
          null,
          null,
        ],
        ['1261103', '', '', '', 0, 0, 0, 0, 0, null, null],
      ],
    },
    {
      day: '2026-11-19',
      set: 'c-base',
      rows: [['1261102', '', '', '', 1_200, 30, 0, 0, 8_250_400_000, null, null]],
    },
  ],
  spoilt: [...first, { ...second[0], sales: '8,250' }],
  throttle: (res) => json(res, { errorMessage: 'Rate limit exceeded.', errorCode: '012' }, 429),
  authLost: (res) =>
    json(
      res,
      {
        error: {
          code: 'AUTH_ERROR',
          detailCode: 'STATS__UNAUTHORIZED_EXCEPTION',
          message: 'No authorization for retrieving the ad account',
        },
      },
      403,
    ),
});
