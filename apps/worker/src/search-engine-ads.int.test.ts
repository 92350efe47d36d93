import { listAccounts, readCoverage } from '@tributary/database';
import { addDays, CHANNELS } from '@tributary/shared';
import { type OpenChannel, openChannel } from './testing/open-channel.ts';
import { buildApps } from './testing/processes.ts';

const TODAY = '2026-11-21';
const HISTORY_DAYS = 10;
const FIRST = addDays(TODAY, -HISTORY_DAYS);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LOADING_MS = 300_000;

let channel: OpenChannel;
beforeAll(async () => {
  await buildApps();
  channel = await openChannel({
    type: 'SEARCH_ENGINE_ADS',
    credentials: {
      clientId: '100000000002-sandbox.apps.example',
      clientSecret: 'sandbox-search-secret',
      refreshToken: 'sandbox-search-refresh-token',
    },
    settings: { historyDays: HISTORY_DAYS },
    // 13:30 in Seoul and 23:30 of the day before in New York: both have read yesterday's demographics just now.
    now: `${TODAY}T04:30:00Z`,
  });
}, LOADING_MS);
afterAll(() => channel?.close());

const open = async () =>
  (await listAccounts(channel.db, channel.link._id)).filter(({ status }) => status !== 'closed');

test(
  'every stored figure is the truth after the first load, without a refusal but that of the cancelled account',
  async () => {
    await channel.load();
    const { differences, compared } = await channel.compare(FIRST, TODAY);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(5_000);
    const accounts = await listAccounts(channel.db, channel.link._id);
    const states = accounts.map(({ zone, status }) => `${zone} ${status}`);
    expect(new Set(states)).toEqual(
      new Set(['America/New_York active', 'America/New_York closed', 'Asia/Seoul active']),
    );
    const closed = accounts.find(({ status }) => status === 'closed')?.account;
    const refused = (await channel.sandbox.calls()).filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ account }) => account))).toEqual(new Set([closed]));
  },
  LOADING_MS,
);

test(
  'yesterday has every list, demographics among them, in one pass with its totals',
  async () => {
    const sources = CHANNELS.SEARCH_ENGINE_ADS.sources.map(({ id }) => id);
    for (const { _id, zone } of await open()) {
      const day = zone === 'Asia/Seoul' ? '2026-11-20' : '2026-11-19';
      const { cells, sealed } = await readCoverage(channel.db, _id, day, day);
      expect([...(cells.get(day)?.keys() ?? [])].toSorted()).toEqual(sources.toSorted());
      // Nothing lags: a mark's tag would name the list.
      for (const mark of Object.values(sealed.get(day) ?? {})) {
        expect(mark.tag.split(':')).toHaveLength(2);
      }
    }
  },
  LOADING_MS,
);

test(
  'days that are read again after four days are the truth of then, whatever the platform stumbles over',
  async () => {
    await channel.advance(4 * DAY_MS);
    for (const fault of ['expired-token', 'error500', 'malformed', 'throttle', 'cut']) {
      const match = { kind: 'insights' };
      await channel.sandbox.addFault({ channel: 'SEARCH_ENGINE_ADS', fault, match, times: 1 });
    }
    await channel.load();
    // What failed is due again after some minutes of the same hour.
    for (let time = 0; time < 2; time += 1) {
      await channel.advance(12 * MINUTE_MS);
      await channel.load();
    }
    for (const { fired, times } of await channel.sandbox.faults()) expect(fired).toBe(times);
    // Ads are read on the first, second, third and seventh day: the others wait for their turn.
    const { differences, compared } = await channel.compare(addDays(TODAY, -2), addDays(TODAY, 4));
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(3_000);
  },
  LOADING_MS,
);

test(
  'a settled day is the last truth, and is not asked for again',
  async () => {
    await channel.advance(31 * DAY_MS);
    await channel.load();
    const { differences } = await channel.compare(FIRST, TODAY);
    expect(differences).toEqual([]);
    const before = (await channel.sandbox.calls()).at(-1)?.n ?? 0;
    await channel.advance(DAY_MS);
    await channel.load();
    const asked = (await channel.sandbox.calls(before)).filter(({ since }) => since !== null);
    expect(asked.length).toBeGreaterThan(0);
    for (const { since } of asked) expect(`${since}` > TODAY).toBe(true);
  },
  LOADING_MS,
);
