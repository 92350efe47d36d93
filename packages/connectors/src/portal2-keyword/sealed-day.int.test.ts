import { CHANNELS, type Level, type ObservationRow, type SetId, seal } from '@tributary/shared';
import { askedFor, CAMPAIGN, fixture, row, useKeyword } from '../testing/portal2-keyword.ts';
import { json } from '../testing/scripted-server.ts';

const platform = useKeyword();
const SOURCES = ['c-device', 'c-hour', 'c-placement', 'g-keyword', 'a-base', 'c-base'] as const;
const whole = fixture('campaign').data[0] as { metrics: object };

/** One day of one campaign, its hours and placements in one row each. */
function answer(asked: string): unknown {
  if (asked.startsWith('adAccounts/report')) return { data: [row({}, whole.metrics)] };
  if (asked.startsWith('keywords/report')) return fixture('keyword');
  if (asked.includes('config=DEL')) return [];
  if (asked.startsWith('keywords')) {
    return [
      { id: 5555555551, text: '러닝화' },
      { id: 5555555552, text: '운동화' },
    ];
  }
  if (asked.includes('dimension=DEVICE')) return fixture('campaign-device');
  const one = { campaignId: CAMPAIGN };
  if (asked.includes('dimension=HOUR')) return { data: [row({ ...one, hour: 9 }, whole.metrics)] };
  if (!asked.includes('dimension=PLACEMENT')) return fixture('campaign');
  return { data: [row({ ...one, placement: 'KAKAO_SEARCH' }, whole.metrics)] };
}

async function sealedDay(level: Level, id: string) {
  platform.server().answer((seen, res) => json(res, answer(askedFor(seen))));
  const sets = new Map<SetId, ObservationRow[]>();
  for (const source of SOURCES) {
    const { observed, error } = await platform.collect(source);
    expect(error).toBeUndefined();
    for (const { set, rows } of observed) {
      sets.set(set, [...(sets.get(set) ?? []), ...(rows as ObservationRow[])]); // no blog
    }
  }
  const input = { channel: CHANNELS.PORTAL2_KEYWORD, level, date: '2026-11-18' };
  const { entities } = seal({ ...input, sets, lagging: new Set() });
  return JSON.parse(entities.get(id)?.json ?? 'null');
}

type Figures = [
  impressions: number,
  clicks: number,
  conversions: number | null,
  amount: number | null,
  spend: number,
  rimp: number | null,
  ppcAndCpc: number,
  ctr: number,
  cpm: number,
];
function dataObject(...figures: Figures) {
  const [impressions, clicks, conversions, amount, spend, rimp, ppc, ctr, cpm] = figures;
  const sums = { impressions, clicks, conversions, amount, spend, reach: null };
  return { ...sums, ppc, rimp, ctr, cpc: ppc, cpm };
}

test('a campaign is sent as worked out by hand', async () => {
  // 5,000 / 20 clicks = 250; 20 / 1,000 = 2 %; 5,000 / 1,000 x 1,000 = 5,000.
  const total = dataObject(1000, 20, 3, 90_000, 5_000, 1200, 250, 2, 5_000);
  expect(await sealedDay('c', CAMPAIGN)).toEqual({
    date: '2026-11-18',
    total,
    device: [
      // 3,500 / 15 = 233.333333; 15 / 550 = 2.727273 %; 3,500 / 550 x 1,000 = 6,363.636364.
      {
        device: 'mobile',
        data: dataObject(550, 15, 2, 60_000, 3_500, 650, 233.333333, 2.727273, 6363.636364),
      },
      { device: 'desktop', data: dataObject(400, 5, 1, 30_000, 1_500, 500, 300, 1.25, 3_750) },
      // 1,000 - 950 impressions, 1,200 - 1,150 with those that were not seen.
      { device: 'unattributed', data: dataObject(50, 0, 0, 0, 0, 50, 0, 0, 0) },
    ],
    hour: [{ hour: '09', data: total }],
    placement: [{ placement: 'KAKAO_SEARCH', data: total }],
    keyword: [
      // 12 / 700 = 1.714286 %; 3,000 / 700 x 1,000 = 4,285.714286.
      {
        keyword: '러닝화',
        data: dataObject(700, 12, 3, 90_000, 3_000, 800, 250, 1.714286, 4285.714286),
      },
      { keyword: '운동화', data: dataObject(200, 8, 0, 0, 2_000, 300, 250, 4, 10_000) },
      { keyword: 'unattributed', data: dataObject(100, 0, 0, 0, 0, 100, 0, 0, 0) },
    ],
  });
});

test('the account has its own totals, and lists summed from the campaigns, of delivery alone', async () => {
  const total = dataObject(1000, 20, null, null, 5_000, null, 250, 2, 5_000);
  const day = await sealedDay('a', '');
  expect(day.total).toEqual(total);
  expect(day.hour).toEqual([{ hour: '09', data: total }]);
  expect(day.device).toEqual([
    {
      device: 'mobile',
      data: dataObject(550, 15, null, null, 3_500, null, 233.333333, 2.727273, 6363.636364),
    },
    { device: 'desktop', data: dataObject(400, 5, null, null, 1_500, null, 300, 1.25, 3_750) },
    { device: 'unattributed', data: dataObject(50, 0, null, null, 0, null, 0, 0, 0) },
  ]);
  expect(day.keyword.map((entry: { keyword: string }) => entry.keyword)).toEqual([
    '러닝화',
    '운동화',
    'unattributed',
  ]);
});
