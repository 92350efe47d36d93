import { listAccounts, readCoverage } from '@tributary/database';
import { addDays, CHANNELS, eachDay } from '@tributary/shared';
import { type OpenChannel, openChannel } from './testing/open-channel.ts';
import { buildApps } from './testing/processes.ts';

const TODAY = '2026-11-21';
const HISTORY_DAYS = 5;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** One of the two that the licence reaches. */
const CUSTOMER = '1713808';
const CREDENTIALS = {
  customerId: CUSTOMER,
  apiKey: 'sandbox-search-ad-key',
  secretKey: 'sandbox-search-ad-secret',
};
const FROM = addDays(TODAY, -HISTORY_DAYS);

let channel: OpenChannel;
beforeAll(async () => {
  await buildApps();
  channel = await openChannel({
    type: 'PORTAL1_SEARCH_AD',
    credentials: CREDENTIALS,
    settings: { historyDays: HISTORY_DAYS },
    now: `${TODAY}T12:30:00+09:00`,
  });
}, 300_000);
afterAll(() => channel?.close());

test('every stored figure is the truth, after the first load and after days were restated', async () => {
  await channel.load();
  expect((await listAccounts(channel.db, channel.link._id)).map(({ account }) => account)).toEqual([
    CUSTOMER,
  ]);
  const first = await channel.compare(FROM, addDays(TODAY, -1), [CUSTOMER]);
  expect(first.differences).toEqual([]);
  expect(first.compared).toBeGreaterThan(1_000);

  await channel.advance(4 * DAY_MS);
  await channel.load();
  const later = await channel.compare(FROM, addDays(TODAY, 3), [CUSTOMER]);
  expect(later.differences).toEqual([]);
  expect(later.compared).toBeGreaterThan(first.compared);
}, 300_000);

test('every source of every ended day is read, nothing is asked in vain, and no report stays open', async () => {
  const calls = await channel.sandbox.calls();
  expect(calls.filter(({ status }) => status >= 400)).toEqual([]);
  const { cells } = await readCoverage(
    channel.db,
    `${channel.link._id}.${CUSTOMER}`,
    FROM,
    addDays(TODAY, 4),
  );
  expect([...cells.keys()].toSorted()).toEqual(eachDay(FROM, addDays(TODAY, 3)));
  const ids = CHANNELS.PORTAL1_SEARCH_AD.sources.map(({ id }) => id).toSorted();
  for (const ofDay of cells.values()) {
    expect([...ofDay.keys()].toSorted()).toEqual(ids);
    expect(new Set([...ofDay.values()].map(({ state }) => state))).toEqual(new Set(['ok']));
  }
  const count = (kind: string) => calls.filter((call) => call.kind === kind).length;
  expect(count('report-create')).toBe(count('report-delete'));
  expect(count('report-create')).toBeGreaterThan(3 * 2 * HISTORY_DAYS);
});

test('neither a throttle nor a failed, cut or broken report costs a figure', async () => {
  const { sandbox } = channel;
  const strike = (fault: string, match: Record<string, string>, times = 1) =>
    sandbox.addFault({ channel: 'PORTAL1_SEARCH_AD', fault, times, match });
  await strike('failed-run', { kind: 'report-create', level: 'AD_CONVERSION' });
  await strike('throttle', { kind: 'report-poll', level: 'CRITERION' });
  await strike('cut', { kind: 'report-page' });
  await strike('error500', { kind: 'report-create', level: 'AD_DETAIL' });
  await strike('malformed', { kind: 'report-poll', level: 'AD' });
  await channel.advance(DAY_MS);
  for (let hours = 0; hours < 8; hours += 1) {
    await channel.load();
    await channel.advance(HOUR_MS);
  }
  expect((await sandbox.faults()).map(({ fired }) => fired)).toEqual([1, 1, 1, 1, 1]);
  await channel.advance(5 * DAY_MS);
  await channel.load();
  const { differences } = await channel.compare(FROM, addDays(TODAY, 5), [CUSTOMER]);
  expect(differences).toEqual([]);
}, 300_000);
