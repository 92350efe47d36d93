import { startTestSandbox, type TestSandbox } from '../testing.ts';
import type { AdsTruthDay, AdsTruthFigures } from '../truth/ads-truth.ts';
import type { TruthLevel } from '../truth/truth-teller.ts';

type Fields = Record<string, string | number>;
interface Row {
  start: string;
  dimensions: Fields;
  metrics: Fields;
}

const RANGE = { start: '2026-11-10', end: '2026-11-20' };
const PATHS: Readonly<Record<TruthLevel, [path: string, id: string]>> = {
  account: ['adAccounts', ''],
  campaign: ['campaigns', 'campaignId'],
  adGroup: ['adGroups', 'adGroupId'],
  ad: ['creatives', 'creativeLinkId'],
};

let sandbox: TestSandbox;
let accounts: { id: string; campaigns: { id: string }[] }[];
beforeAll(async () => {
  sandbox = await startTestSandbox();
  const { body } = await sandbox.get('/__sandbox/tree?channel=PORTAL2_KEYWORD');
  accounts = (
    body.accounts as { id: string; isClosed: boolean; campaigns: { id: string }[] }[]
  ).filter(({ isClosed }) => !isClosed);
});
afterAll(() => sandbox.sandbox.close());

async function report(account: string, path: string, more: Record<string, string>): Promise<Row[]> {
  const query = new URLSearchParams({
    start: RANGE.start.replaceAll('-', ''),
    end: RANGE.end.replaceAll('-', ''),
    timeUnit: 'DAY',
    metricsGroups: path === 'adAccounts' ? 'BASIC' : 'BASIC,ADDITION,PIXEL_SDK_CONVERSION',
    ...more,
  });
  const headers = {
    authorization: 'Bearer sandbox-keyword-business-token',
    adAccountId: account,
  };
  const url = `/portal2-keyword/openapi/v1/${path}/report?${query.toString()}`;
  const { body } = await sandbox.get(url, headers);
  return (body.data as Row[]).map(({ start, dimensions, metrics }) => ({
    start,
    dimensions: camelCased(dimensions),
    metrics: camelCased(metrics),
  }));
}

function camelCased(fields: Fields): Fields {
  const named = Object.entries(fields).map(([name, value]) => [
    name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(named);
}

/** Below the campaigns the platform is asked for each of them. */
async function wholeReport(
  account: { id: string; campaigns: { id: string }[] },
  level: TruthLevel,
  more: Record<string, string> = {},
): Promise<Row[]> {
  const [path] = PATHS[level];
  if (level === 'account' || level === 'campaign') return report(account.id, path, more);
  const parts = await Promise.all(
    account.campaigns.map(({ id }) => report(account.id, path, { campaignId: id, ...more })),
  );
  return parts.flat();
}

const dashed = (start: string) => start.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3');
const figures = (told: Fields) =>
  ['imp', 'click', 'convPurchase7d', 'convPurchaseP7d', 'spending', 'rimp']
    .map((field) => (told[field] === undefined ? 'null' : String(told[field])))
    .join(' ');
const trueFigures = (one: AdsTruthFigures) =>
  ['impressions', 'clicks', 'conversions', 'amount', 'spend', 'rimp']
    .map((metric) => String(one[metric as keyof AdsTruthFigures]))
    .join(' ');

async function truthOf(account: string, level: TruthLevel): Promise<AdsTruthDay[]> {
  const query = new URLSearchParams({ channel: 'PORTAL2_KEYWORD', account, level, ...RANGE });
  const { body } = await sandbox.get(`/__sandbox/truth?${query.toString()}`);
  return body.days as AdsTruthDay[];
}

test.each(['account', 'campaign', 'adGroup', 'ad'] as const)(
  'the rows of level %s are the truth, removed and unlisted campaigns included',
  async (level) => {
    for (const account of accounts) {
      const told = (await wholeReport(account, level)).map(({ start, dimensions, metrics }) => {
        const id = level === 'account' ? account.id : dimensions[PATHS[level][1]];
        return `${dashed(start)} ${id}: ${figures(metrics)}`;
      });
      const truth = (await truthOf(account.id, level)).map(
        ({ date, entity, total }) => `${date} ${entity}: ${trueFigures(total)}`,
      );
      expect(told.toSorted()).toEqual(truth.toSorted());
      expect(truth.length).toBeGreaterThan(10);
    }
  },
  60_000,
);

test.each([
  ['device', 'DEVICE'],
  ['placement', 'PLACEMENT'],
  ['hour', 'HOUR'],
])(
  'the values of %s and what is attributed to none add up to the totals',
  async (list, dimension) => {
    const [account] = accounts;
    if (!account) throw new Error('The sandbox has accounts');
    const told = await wholeReport(account, 'adGroup', { dimension });
    const truth = await truthOf(account.id, 'adGroup');
    for (const day of truth.slice(0, 20)) {
      const own = told.filter(
        ({ start, dimensions }) =>
          dashed(start) === day.date && String(dimensions.adGroupId) === day.entity,
      );
      const entries = day.lists[list] ?? [];
      const own7d = own.map(({ metrics }) => figures(metrics));
      expect(own7d.toSorted()).toEqual(entries.map(trueFigures).toSorted());
      const rest = Number(day.unattributed[list]?.impressions ?? 0);
      const sum = own.reduce((all, { metrics }) => all + Number(metrics.imp), 0);
      expect(sum + rest).toBe(Number(day.total.impressions));
    }
  },
);

test('keywords are told of by id; a part of the delivery belongs to none', async () => {
  const [account] = accounts;
  const [campaign] = account?.campaigns ?? [];
  if (!account || !campaign) throw new Error('The sandbox has campaigns');
  const told = await report(account.id, 'keywords', { campaignId: campaign.id });
  const truth = (await truthOf(account.id, 'campaign')).filter(
    ({ entity }) => entity === campaign.id,
  );
  expect(truth.some(({ unattributed }) => unattributed.keyword)).toBe(true);
  for (const { date, total, unattributed } of truth) {
    const own = told.filter(({ start }) => dashed(start) === date);
    const sum = own.reduce((all, { metrics }) => all + Number(metrics.imp), 0);
    const rest = Number(unattributed.keyword?.impressions ?? 0);
    expect(sum + rest).toBe(Number(total.impressions));
  }
});
