import { findLinkById, listAccounts, readCoverage } from '@tributary/database';
import { addDays, CHANNELS, eachDay } from '@tributary/shared';
import { type OpenChannel, openChannel } from './testing/open-channel.ts';
import { buildApps } from './testing/processes.ts';

const TODAY = '2026-11-21';
const HISTORY_DAYS = 10;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const open = ({ feedToken = 'sandbox-feed-token', historyDays = HISTORY_DAYS } = {}) =>
  openChannel({
    type: 'PORTAL1_DA',
    credentials: {
      clientId: 'sandbox-da-client',
      clientSecret: 'sandbox-da-secret',
      refreshToken: 'sandbox-da-refresh',
      feedToken,
    },
    settings: (sandbox) => ({ historyDays, feedUrl: `${sandbox}/feed` }),
    tokenPath: '/oauth2.0/token',
    now: `${TODAY}T12:30:00+09:00`,
  });

let channel: OpenChannel;
beforeAll(async () => {
  await buildApps();
  channel = await open();
}, 300_000);
afterAll(() => channel?.close());

test('every stored figure is the truth, after the first load and after days were restated', async () => {
  await channel.load();
  const from = addDays(TODAY, -HISTORY_DAYS);
  const first = await channel.compare(from, addDays(TODAY, -1));
  expect(first.differences).toEqual([]);
  expect(first.compared).toBeGreaterThan(3_000);

  await channel.advance(4 * DAY_MS);
  await channel.load();
  const later = await channel.compare(from, addDays(TODAY, 3));
  expect(later.differences).toEqual([]);
  expect(later.compared).toBeGreaterThan(first.compared);
}, 300_000);

test('every source of every day is read, nothing before two o’clock after its day, and never with a refusal', async () => {
  const calls = await channel.sandbox.calls();
  expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
  for (const { at, until } of calls.filter(({ kind }) => kind === 'insights')) {
    const toldFrom = Date.parse(`${addDays(until ?? '', 1)}T02:00:00+09:00`);
    expect(at).toBeGreaterThanOrEqual(toldFrom);
  }
  const accounts = new Set(
    calls.filter(({ kind }) => kind === 'insights').map((call) => call.account),
  );
  expect(accounts.size).toBe(2);
  for (const account of accounts) {
    const id = `${channel.link._id}.${account}`;
    const from = addDays(TODAY, -HISTORY_DAYS);
    const { cells } = await readCoverage(channel.db, id, from, addDays(TODAY, 4));
    expect([...cells.keys()].toSorted()).toEqual(eachDay(from, addDays(TODAY, 3)));
    for (const ofDay of cells.values()) {
      const ids = CHANNELS.PORTAL1_DA.sources.map((source) => source.id);
      expect([...ofDay.keys()].toSorted()).toEqual(ids.toSorted());
    }
  }
});

test('neither a refused token nor a throttle, a broken answer or trouble with the feed costs a figure', async () => {
  const { sandbox } = channel;
  const strike = (fault: string, match: Record<string, string>) =>
    sandbox.addFault({ channel: 'PORTAL1_DA', fault, times: 1, match });
  await strike('expired-token', { kind: 'insights' });
  await strike('throttle', { kind: 'insights', level: 'creatives' });
  await strike('cut', { kind: 'insights', level: 'adSets' });
  await strike('expired-token', { kind: 'feed' });
  await channel.advance(DAY_MS);
  for (let hours = 0; hours < 8; hours += 1) {
    await channel.load();
    await channel.advance(HOUR_MS);
  }
  expect((await sandbox.faults()).map(({ fired }) => fired)).toEqual([1, 1, 1, 1]);
  const link = await findLinkById(channel.db, channel.link._id);
  expect(link?.status).toBe('Completed');

  // Nine days later the platform changes none of these any more, and each was read a last time.
  await channel.advance(9 * DAY_MS);
  await channel.load();
  const { differences, compared } = await channel.compare(
    addDays(TODAY, -HISTORY_DAYS),
    addDays(TODAY, 5),
  );
  expect(differences).toEqual([]);
  expect(compared).toBeGreaterThan(5_000);
}, 300_000);

test('a feed that refuses everything keeps no figure of the API from being read', async () => {
  const other = await open({ feedToken: 'wrong', historyDays: 3 });
  try {
    await other.load();
    const link = await findLinkById(other.db, other.link._id);
    expect(link?.status).toBe('Completed');
    const accounts = (await listAccounts(other.db, other.link._id)).filter(
      ({ status }) => status !== 'closed',
    );
    expect(accounts).toHaveLength(2);
    for (const { _id } of accounts) {
      const { cells } = await readCoverage(other.db, _id, addDays(TODAY, -3), addDays(TODAY, -1));
      for (const ofDay of cells.values()) {
        for (const { id } of CHANNELS.PORTAL1_DA.sources.filter(({ feed }) => !feed))
          expect([id, ofDay.get(id)?.state]).toEqual([id, 'ok']);
      }
      expect(cells.size).toBe(3);
    }
    const calls = await other.sandbox.calls();
    expect(calls.filter(({ kind, status }) => kind === 'feed' && status === 401)).not.toEqual([]);
  } finally {
    await other.close();
  }
}, 120_000);
