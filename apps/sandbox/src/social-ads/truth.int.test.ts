import fc from 'fast-check';
import { startTestSandbox, type TestSandbox } from '../testing.ts';
import type { TruthDay } from '../truth/social-truth.ts';
import { addDays } from '../world/days.ts';

type Row = Record<string, string> & { actions?: Entry[]; action_values?: Entry[] };
interface Entry {
  action_type: string;
  value: string;
}

const LEVELS = { account: 'account', campaign: 'campaign', adGroup: 'adset', ad: 'ad' } as const;
type Level = keyof typeof LEVELS;
const HOURLY = 'hourly_stats_aggregated_by_advertiser_time_zone';
const KEYS: Record<string, string> = {
  age: 'age',
  gender: 'gender',
  country: 'country',
  region: 'region',
  device: 'device_platform',
  hour: HOURLY,
};
const EVERY_STATUS = ['ACTIVE', 'PAUSED', 'ARCHIVED', 'DELETED', 'CAMPAIGN_PAUSED', 'ADSET_PAUSED'];

let test: TestSandbox;
let accounts: string[];

beforeAll(async () => {
  test = await startTestSandbox();
  const { rows } = await test.walk(graph('me/adaccounts', {}));
  accounts = rows.map((row) => String(row.account_id));
});
afterAll(() => test.sandbox.close());

function graph(path: string, params: Record<string, string>): string {
  const query = new URLSearchParams({ access_token: 'sandbox-social-token', ...params });
  return `/social-ads/v26.0/${path}?${query.toString()}`;
}

function served(account: string, level: Level, start: string, end: string, list?: string) {
  const kind = LEVELS[level];
  const path = graph(`act_${account}/insights`, {
    level: kind,
    time_increment: '1',
    time_range: JSON.stringify({ since: start, until: end }),
    fields:
      'account_id,campaign_id,adset_id,ad_id,impressions,clicks,spend,reach,actions,action_values',
    limit: '300',
    ...(list === undefined ? {} : { breakdowns: KEYS[list] ?? '' }),
    ...(kind === 'account'
      ? {}
      : {
          filtering: JSON.stringify([
            { field: `${kind}.effective_status`, operator: 'IN', value: EVERY_STATUS },
          ]),
        }),
  });
  return test.walk(path).then(({ rows }) => rows as unknown as Row[]);
}

async function truth(
  account: string,
  level: Level,
  start: string,
  end: string,
): Promise<TruthDay[]> {
  const query = new URLSearchParams({ channel: 'SOCIAL_ADS', account, level, start, end });
  const { body } = await test.get(`/__sandbox/truth?${query.toString()}`);
  return body.days as TruthDay[];
}

function action(entries: Entry[] | undefined): string {
  return entries?.find((entry) => entry.action_type === 'omni_purchase')?.value ?? '0';
}

function figures(row: Row, isOff: boolean, hasReach: boolean) {
  return {
    impressions: row.impressions,
    clicks: row.clicks,
    spend: row.spend,
    conversions: isOff ? action(row.actions) : null,
    amount: isOff ? action(row.action_values) : null,
    reach: hasReach ? row.reach : null,
  };
}

/** Two decimal places are the most that the simulated currencies have, so hundredths are exact. */
function cents(text: string | null | undefined): number {
  return Math.round(Number(text ?? 0) * 100);
}

/** Orders rows by what leads them: day, entity, and value if any. */
function byHead(a: unknown[], b: unknown[]): number {
  return JSON.stringify(a.slice(0, 3)) < JSON.stringify(b.slice(0, 3)) ? -1 : 1;
}

const question = fc.record({
  account: fc.nat(1),
  level: fc.constantFrom<Level>('account', 'campaign', 'adGroup', 'ad'),
  ago: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 41, max: 380 })),
  days: fc.integer({ min: 1, max: 5 }),
});

function rangeOf({ ago, days }: { ago: number; days: number }): [string, string] {
  const start = addDays('2026-11-20', -ago);
  const end = addDays(start, days - 1);
  return [start, end > '2026-11-20' ? '2026-11-20' : end];
}

it('serves totals at every level that equal the truth, archived and deleted entities included', async () => {
  await fc.assert(
    fc.asyncProperty(question, async (asked) => {
      const account = accounts[asked.account] ?? '';
      const [start, end] = rangeOf(asked);
      const rows = await served(account, asked.level, start, end);
      const days = await truth(account, asked.level, start, end);
      const id = asked.level === 'account' ? 'account_id' : `${LEVELS[asked.level]}_id`;
      const got = rows.map((row) => [row.date_start, row[id], figures(row, true, true)]);
      const wanted = days.map((day) => [day.date, day.entity, day.total]);
      expect(got.toSorted(byHead)).toEqual(wanted.toSorted(byHead));
    }),
    { numRuns: 40 },
  );
});

it('serves lists whose values equal the truth, and lacks exactly what the truth calls unattributed', async () => {
  const list = fc.constantFrom('age', 'gender', 'country', 'region', 'hour');
  const upper = fc.constantFrom<Level>('account', 'campaign', 'adGroup');
  await fc.assert(
    fc.asyncProperty(question, upper, list, async (asked, level, name) => {
      const account = accounts[asked.account] ?? '';
      const [start, end] = rangeOf(asked);
      const rows = await served(account, level, start, end, name);
      const days = await truth(account, level, start, end);
      const id = level === 'account' ? 'account_id' : `${LEVELS[level]}_id`;
      const isOff = !['region', 'hour'].includes(name);
      const key = KEYS[name] ?? '';
      const told = rows.filter(
        (row) =>
          row[key] !== undefined &&
          Number(row.impressions) +
            Number(row.clicks) +
            Number(row.spend) +
            Number(action(row.actions)) >
            0,
      );
      const word = (row: Row) =>
        name === 'hour'
          ? (row[key] ?? '').slice(0, 2)
          : (row[key] ?? '').replace('Unknown', 'unknown');
      const got = told.map((row) => [
        row.date_start,
        row[id],
        word(row),
        figures(row, isOff, name !== 'hour'),
      ]);
      const wanted = days.flatMap((day) =>
        (day.lists[name] ?? []).map(({ value, ...rest }) => [day.date, day.entity, value, rest]),
      );
      expect(got.toSorted(byHead)).toEqual(wanted.toSorted(byHead));
      for (const day of days) {
        const own = told.filter((row) => row.date_start === day.date && row[id] === day.entity);
        const sum = (of: (row: Row) => string | undefined) =>
          own.reduce((total, row) => total + cents(of(row)), 0);
        const gap = day.unattributed[name];
        expect(cents(day.total.impressions) - sum((row) => row.impressions)).toBe(
          cents(gap?.impressions),
        );
        expect(cents(day.total.clicks) - sum((row) => row.clicks)).toBe(cents(gap?.clicks));
        expect(cents(day.total.spend) - sum((row) => row.spend)).toBe(cents(gap?.spend));
        const conversions = isOff ? cents(day.total.conversions) : 0;
        const attributed = isOff ? sum((row) => action(row.actions)) : 0;
        expect(conversions - attributed).toBe(cents(gap?.conversions));
      }
    }),
    { numRuns: 60 },
  );
});

it('adds apps and mobile web up to one device whose reach nobody knows', async () => {
  const [account = ''] = accounts;
  const [day] = await truth(account, 'account', '2026-10-01', '2026-10-01');
  const rows = await served(account, 'account', '2026-10-01', '2026-10-01', 'device');
  const mobile = rows.filter((row) => row.device_platform?.startsWith('mobile_'));
  expect(new Set(mobile.map((row) => row.device_platform))).toEqual(
    new Set(['mobile_app', 'mobile_web']),
  );
  const entry = day?.lists.device?.find(({ value }) => value === 'mobile');
  expect(Number(entry?.impressions)).toBe(
    mobile.reduce((sum, row) => sum + Number(row.impressions), 0),
  );
  expect(Number(entry?.conversions)).toBe(
    mobile.reduce((sum, row) => sum + Number(action(row.actions)), 0),
  );
  expect(entry?.reach).toBeNull();
});

it('leaves gaps, hours without a name and stray clicks in the world, so that products meet them', async () => {
  const days = (
    await Promise.all(
      accounts.map((account) => truth(account, 'campaign', '2026-09-01', '2026-11-15')),
    )
  ).flat();
  for (const name of ['age', 'gender', 'country', 'region', 'device', 'hour']) {
    expect(days.some((day) => day.unattributed[name] !== undefined)).toBe(true);
  }
  expect(days.some((day) => day.unattributed.age === undefined)).toBe(true);
  expect(days.some((day) => day.total.impressions === '0')).toBe(true);
  const hours = await served(accounts[0] ?? '', 'ad', '2026-09-01', '2026-09-14', 'hour');
  const nameless = hours.filter((row) => row[HOURLY] === undefined);
  expect(nameless.length).toBeGreaterThan(0);
  expect(new Set(nameless.map((row) => row.impressions))).toEqual(new Set(['0']));
  expect(new Set(hours.map((row) => row.reach))).toEqual(new Set(['0']));
});
