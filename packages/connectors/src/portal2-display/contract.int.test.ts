import { describeConnectorContract } from '../testing/contract.ts';
import {
  ACCOUNT,
  listAnswer,
  openPortal2Display,
  row,
  source,
  TOKEN,
} from '../testing/portal2-display.ts';
import { json } from '../testing/scripted-server.ts';

const deviceRows = [
  row({ device_type: 'Android' }, { imp: 100, conv_purchase_7d: 2, conv_purchase_p_7d: 61500 }),
  row({ device_type: 'iOS' }, { imp: '40', cost: '33.5' }),
  row({ device_type: 'PC' }),
];
const secondRows = [
  row({ deviceType: 'iOS' }, {}, '2026-11-19'),
  row({ device_type: 'ConsoleX' }, {}, '2026-11-19'),
];

describeConnectorContract('PORTAL2_DISPLAY', {
  open: openPortal2Display,
  credentials: { businessToken: TOKEN },
  settings: () => ({}),
  secrets: [TOKEN],
  accountsAnswer: {
    content: [
      { id: 312345, name: 'Tea House', config: 'ON' },
      { id: 312346, name: null, config: 'OFF' },
    ],
    totalElements: 2,
    totalPages: 1,
  },
  accounts: [
    { id: '312345', title: 'Tea House', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' },
    { id: '312346', title: '312346', zone: 'Asia/Seoul', currency: 'KRW', status: 'paused' },
  ],
  entities: {
    answer: (seen) =>
      listAnswer(seen, { campaigns: [1], 'adGroups/1': [2, 3], 'creatives/3': [4] }),
    expected: [
      { level: 'c', id: '1', parent: ACCOUNT.id, title: '이름 1', status: 'active' },
      { level: 'g', id: '2', parent: '1', title: '이름 2', status: 'active' },
      { level: 'g', id: '3', parent: '1', title: '이름 3', status: 'active' },
      { level: 'd', id: '4', parent: '3', title: '이름 4', status: 'active' },
    ],
  },
  request: { account: ACCOUNT, source: source('a-device'), from: '2026-11-18', to: '2026-11-19' },
  page: (data) => ({ message: 'Success', data }),
  rows: [deviceRows, secondRows],
  observed: [
    {
      day: '2026-11-18',
      set: 'a-device',
      rows: [
        // Android + iOS: 100 + 40, 2 + 2, 2 + 0, 61,500 + 0, 100 + 33.5; people cannot be added.
        ['', '', '', 'mobile', 140, 4, 2_000_000, 61_500_000_000, 133_500_000, null, null],
        ['', '', '', 'desktop', 10, 2, 0, 0, 100_000_000, null, 8],
      ],
    },
    {
      day: '2026-11-19',
      set: 'a-device',
      rows: [
        // Only one of the two was there: its people are the word's.
        ['', '', '', 'mobile', 10, 2, 0, 0, 100_000_000, null, 8],
        ['', '', '', 'other', 10, 2, 0, 0, 100_000_000, null, 8],
      ],
    },
  ],
  spoilt: [...deviceRows.slice(0, 2), row({ device_type: 'PC' }, { imp: '1,234' })],
  throttle: (res) =>
    json(
      res,
      {
        msg: 'KakaoMomentException',
        code: -813,
        extras: { detailCode: 90001, detailMsg: '허용된 API 요청을 초과하였습니다.' },
      },
      429,
    ),
  authLost: (res) =>
    json(res, { msg: `this access token does not exist ${TOKEN}`, code: -401 }, 401),
});
