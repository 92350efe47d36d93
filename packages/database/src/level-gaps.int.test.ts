import { CHANNELS, type Day, levelGaps, type ObservationRow } from '@tributary/shared';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import {
  collect,
  coverageOf,
  createTestAccount,
  intercept,
  sealNow,
  type TestAccount,
} from './test-turns.ts';

const DAY: Day = '2026-11-02';
const days = [DAY];
let test: TestDatabase;

beforeAll(async () => {
  test = await openTestDatabase('gaps');
}, 60_000);
afterAll(() => test.drop());

const row = (ids: [string, string, string], clicks: number): ObservationRow => [
  ...ids,
  '',
  ...([clicks * 10, clicks, 0, 0, clicks * 1_000_000, null, 9] as const),
];

const read = (account: TestAccount, run: number, source: string, rows: ObservationRow[]) =>
  collect(test.db, account, { run, source, days, rows: () => rows });

async function gapsOf(account: TestAccount) {
  const { cells, sealed } = await coverageOf(test.db, account, days);
  const input = {
    channel: CHANNELS[account.type],
    account: { id: account.id, zone: 'Asia/Seoul' },
    day: DAY,
    cells: cells.get(DAY),
    sealed: sealed.get(DAY),
  };
  return levelGaps(input).map(({ level, metrics }) => [level, metrics]);
}

it('a gap is there while the levels differ and gone once it is closed', async () => {
  const account = await createTestAccount(test.db, 'closing');
  await read(account, 1, 'c-base', [row(['c1', '', ''], 5), row(['c2', '', ''], 3)]);
  await sealNow(test.db, account, days);
  expect(await gapsOf(account)).toEqual([]);
  await read(account, 2, 'g-base', [row(['c1', 'g1', ''], 5)]);
  await sealNow(test.db, account, days);
  const gap = { impressions: -30, clicks: -3, spend: -3_000_000 };
  expect(await gapsOf(account)).toEqual([['g', gap]]);
  await read(account, 3, 'c-age', [row(['c1', '', ''], 5).with(3, '18-24') as ObservationRow]);
  await sealNow(test.db, account, days);
  expect(await gapsOf(account)).toEqual([['g', gap]]);
  await read(account, 4, 'g-base', [row(['c1', 'g1', ''], 5), row(['c2', 'g2', ''], 4)]);
  await sealNow(test.db, account, days);
  expect(await gapsOf(account)).toEqual([['g', { impressions: 10, clicks: 1, spend: 1_000_000 }]]);
  await read(account, 5, 'g-base', [row(['c1', 'g1', ''], 5), row(['c2', 'g2', ''], 3)]);
  await sealNow(test.db, account, days);
  expect(await gapsOf(account)).toEqual([]);
});

it('levels that are summed from the same rows have no gap', async () => {
  const account = await createTestAccount(test.db, 'summed', 'PORTAL1_DA');
  await read(account, 1, 'c-base', [row(['c1', '', ''], 5), row(['c2', '', ''], 3)]);
  await sealNow(test.db, account, days);
  const { sealed } = await coverageOf(test.db, account, days);
  expect(sealed.get(DAY)?.a?.sums).toEqual([80, 8, 0, 0, 8_000_000, null]);
  expect(await gapsOf(account)).toEqual([]);
});

it('an entity that is no longer told opens a gap, whatever turn seals late', async () => {
  const account = await createTestAccount(test.db, 'late');
  await read(account, 1, 'c-base', [row(['c1', '', ''], 5), row(['c2', '', ''], 3)]);
  await read(account, 1, 'g-base', [row(['c1', 'g1', ''], 5), row(['c2', 'g2', ''], 3)]);
  let times = 0;
  const late = intercept(test.db, async ({ collection, isWrite }, call) => {
    if (collection === 'statDays' && isWrite) {
      times += 1;
      if (times === 1) {
        await read(account, 2, 'g-base', [row(['c1', 'g1', ''], 5)]);
        await sealNow(test.db, account, days);
      }
    }
    return await call();
  });
  await sealNow(late, account, days);
  expect(times).toBeGreaterThan(0);
  const gap = { impressions: -30, clicks: -3, spend: -3_000_000 };
  expect(await gapsOf(account)).toEqual([['g', gap]]);
});

it('a level that is being sealed has no gap until it is sealed', async () => {
  const account = await createTestAccount(test.db, 'underway');
  await read(account, 1, 'c-base', [row(['c1', '', ''], 5)]);
  await read(account, 1, 'g-base', [row(['c1', 'g1', ''], 4)]);
  await sealNow(test.db, account, days);
  expect(await gapsOf(account)).toHaveLength(1);
  await read(account, 2, 'g-base', [row(['c1', 'g1', ''], 5)]);
  const dying = intercept(test.db, async ({ collection, isWrite }, call) => {
    if (collection === 'changes' && isWrite) throw new Error('gone');
    return await call();
  });
  await expect(sealNow(dying, account, days)).rejects.toThrow('gone');
  expect(await gapsOf(account)).toEqual([]);
  await sealNow(test.db, account, days);
  expect(await gapsOf(account)).toEqual([]);
});
