import { readCoverage } from '@tributary/database';
import { addDays, CHANNELS } from '@tributary/shared';
import { type OpenChannel, openChannel } from './testing/open-channel.ts';
import { buildApps } from './testing/processes.ts';

const TODAY = '2026-11-21';
const HISTORY_DAYS = 10;
const DAY_MS = 86_400_000;

let channel: OpenChannel;
beforeAll(async () => {
  await buildApps();
  channel = await openChannel({
    type: 'PORTAL2_DISPLAY',
    credentials: { businessToken: 'sandbox-portal2-display-token' },
    settings: { historyDays: HISTORY_DAYS },
    now: `${TODAY}T03:30:00Z`,
  });
}, 300_000);
afterAll(() => channel?.close());

test('every stored figure is the truth, after the first load and after days were restated', async () => {
  await channel.load();
  const from = addDays(TODAY, -HISTORY_DAYS);
  const first = await channel.compare(from, TODAY);
  expect(first.differences).toEqual([]);
  expect(first.compared).toBeGreaterThan(5_000);

  await channel.advance(4 * DAY_MS);
  expect((await channel.compare(from, TODAY)).differences).not.toEqual([]); // the platform changed the days since
  await channel.load();
  const later = await channel.compare(from, addDays(TODAY, 4));
  expect(later.differences).toEqual([]);
  expect(later.compared).toBeGreaterThan(first.compared);
}, 300_000);

test('every source of every day is collected, in windows of many days and never with a refusal', async () => {
  const calls = await channel.sandbox.calls();
  expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
  const reports = calls.filter(({ kind }) => kind === 'insights');
  for (const { query } of reports) {
    expect(query).toMatchObject({ metricsGroup: 'BASIC,ADDITION,PIXEL_SDK_CONVERSION' });
  }
  expect(reports.some(({ query }) => query.datePreset === 'TODAY')).toBe(true);
  const { sources } = CHANNELS.PORTAL2_DISPLAY;
  for (const account of new Set(reports.map((call) => call.account))) {
    const id = `${channel.link._id}.${account}`;
    const { cells } = await readCoverage(channel.db, id, TODAY, TODAY);
    expect([...(cells.get(TODAY)?.keys() ?? [])].toSorted()).toEqual(
      sources.map((source) => source.id).toSorted(),
    );
  }
});
