import { type PerformanceRow, startDisplay } from './testing.ts';

const DAY_MS = 86_400_000;
const LEVELS = [
  ['campaign', 'campaigns', 'campaignNo'],
  ['adGroup', 'adSets', 'adSetNo'],
  ['ad', 'creatives', 'creativeNo'],
] as const;

interface TruthDay {
  date: string;
  entity: string;
  total: Record<string, string | null>;
  lists: Record<string, Record<string, string | null>[]>;
  unattributed: Record<string, unknown>;
}

let da: Awaited<ReturnType<typeof startDisplay>>;
beforeAll(async () => {
  da = await startDisplay('2026-11-20T12:00:00+09:00');
});
afterAll(() => da.sandbox.close());

const RANGE = { startDate: '2026-10-25', endDate: '2026-11-19' };

async function truthOf(account: string | undefined, level: string): Promise<TruthDay[]> {
  const query = new URLSearchParams({
    channel: 'PORTAL1_DA',
    account: account ?? '',
    level,
    start: RANGE.startDate,
    end: RANGE.endDate,
  });
  return (await da.get(`/__sandbox/truth?${query.toString()}`)).body.days as TruthDay[];
}

/** Figures of a row as text, in the order of the truth's. */
function figuresOf(row: PerformanceRow): string {
  return [row.impCount, row.clickCount, row.convCount, row.convSales, row.sales]
    .map(String)
    .join(' ');
}
const truthText = (total: Record<string, string | null>) =>
  ['impressions', 'clicks', 'conversions', 'amount', 'spend'].map((name) => total[name]).join(' ');
const dashed = (date: string) => date.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');

describe.each(['owned', 'managed'] as const)('the %s account', (which) => {
  it.each(LEVELS)('answers the truth of every %s and day', async (level, aggregation, field) => {
    const rows = await da.pastRows(da[which], aggregation, RANGE);
    const told = rows
      .filter((row) => figuresOf(row) !== '0 0 0 0 0')
      .map((row) => `${dashed(row.targetDate)} ${row[field]} ${figuresOf(row)}`);
    const truth = (await truthOf(da[which], level)).map(
      ({ date, entity, total }) => `${date} ${entity} ${truthText(total)}`,
    );
    expect(truth.length).toBeGreaterThan(50);
    expect(told.toSorted()).toEqual(truth.toSorted());
  });

  it.each(LEVELS.slice(0, 2))(
    'answers the truth of every hour of a %s',
    async (level, list, field) => {
      const rows = await da.pastRows(da[which], list, { ...RANGE, timeUnit: 'hourly' });
      const told = rows.map(
        (row) =>
          `${dashed(row.targetDate)} ${row[field]} ${String(row.hour).padStart(2, '0')} ${figuresOf(row)}`,
      );
      const truth = (await truthOf(da[which], level)).flatMap(({ date, entity, lists }) =>
        (lists.hour ?? []).map((entry) => `${date} ${entity} ${entry.value} ${truthText(entry)}`),
      );
      expect(told.filter((text) => !text.endsWith(' 0 0 0 0 0')).toSorted()).toEqual(
        truth.toSorted(),
      );
    },
  );
});

it('tells of a shopping campaign in the campaigns alone', async () => {
  const { body } = await da.api(`/adAccounts/${da.owned}/campaigns`, { size: 100 });
  const shopping = (body.content as { no: number; objective: string }[]).filter(
    ({ objective }) => objective === 'SHOPPING',
  );
  expect(shopping).toHaveLength(1);
  const no = shopping[0]?.no;
  const rows = await da.pastRows(da.owned, 'campaigns', RANGE);
  expect(rows.some((row) => row.campaignNo === no && Number(row.impCount) > 0)).toBe(true);
  for (const below of ['adSets', 'creatives']) {
    const lower = await da.pastRows(da.owned, below, RANGE);
    expect(lower.some(({ campaignNo }) => campaignNo === no)).toBe(false);
  }
});

it('tells of campaigns that were deleted meanwhile', async () => {
  const path = `/adAccounts/${da.owned}/campaigns`;
  const { body } = await da.api(path, { size: 100, deleteOnly: 'true' });
  const gone = new Set((body.content as { no: number }[]).map(({ no }) => no));
  const summer = { startDate: '2026-07-20', endDate: '2026-08-10' };
  const rows = await da.pastRows(da.owned, 'campaigns', summer);
  expect(rows.some(({ campaignNo }) => gone.has(Number(campaignNo)))).toBe(true);
});

it('restates a day for seven days after its end, and not after them', async () => {
  const day = { startDate: '2026-11-19', endDate: '2026-11-19' };
  const texts: string[] = [];
  for (let days = 0; days <= 10; days += 1) {
    const rows = await da.pastRows(da.owned, 'creatives', day);
    texts.push(rows.map((row) => `${row.creativeNo} ${figuresOf(row)}`).join('\n'));
    await da.advance(DAY_MS);
  }
  expect(new Set(texts.slice(0, 8)).size).toBeGreaterThan(2);
  // At noon of the 20th the first half day of seven is over.
  expect(new Set(texts.slice(7)).size).toBe(1);
});
