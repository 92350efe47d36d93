import { findStatDays, listAccounts } from '@tributary/database';
import { addDays, type Day } from '@tributary/shared';
import { type OpenChannel, openChannel } from './testing/open-channel.ts';
import { buildApps } from './testing/processes.ts';

const TODAY = '2026-11-21';
const HISTORY_DAYS = 10;
const DAY_MS = 86_400_000;
const FROM = addDays(TODAY, -HISTORY_DAYS);
const LATER = addDays(TODAY, 4);

let channel: OpenChannel;
beforeAll(async () => {
  await buildApps();
  channel = await openChannel({
    type: 'PORTAL2_KEYWORD',
    credentials: { businessToken: 'sandbox-keyword-business-token' },
    settings: { historyDays: HISTORY_DAYS },
    now: `${TODAY}T03:30:00Z`,
  });
}, 300_000);
afterAll(() => channel?.close());

/** What is stored of each account and day, as a hash. */
async function storedDays(): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  for (const { account } of await listAccounts(channel.db, channel.link._id)) {
    const range = { level: 'a', entity: account, from: FROM, to: TODAY } as const;
    for (const { date, h } of await findStatDays(channel.db, channel.link, range)) {
      stored.set(`${account} ${date}`, h);
    }
  }
  return stored;
}

test('every stored figure is the truth, after the first load and after days were restated', async () => {
  await channel.load();
  const first = await channel.compare(FROM, TODAY);
  expect(first.differences).toEqual([]);
  expect(first.compared).toBeGreaterThan(5_000);

  const before = await storedDays();
  await channel.advance(4 * DAY_MS);
  await channel.load();
  const later = await channel.compare(FROM, LATER);
  expect(later.differences).toEqual([]);
  expect(later.compared).toBeGreaterThan(first.compared);

  const after = await storedDays();
  const changed = [...before].filter(([key, h]) => after.get(key) !== h).map(([key]) => dayOf(key));
  expect(changed.length).toBeGreaterThan(5);
  // Days that were settled at the first load: seven days after their end nothing moves any more.
  expect(changed.filter((day) => day <= addDays(TODAY, -9))).toEqual([]);
}, 300_000);

function dayOf(key: string): Day {
  return key.slice(-10);
}

test('nothing is refused but the lists below campaigns that no list knows, and no report but that of campaigns is asked for twice at once', async () => {
  const calls = await channel.sandbox.calls();
  const refused = calls.filter(({ status }) => status !== 200);
  expect(new Set(refused.map(({ path }) => path))).toEqual(new Set(['/openapi/v1/keywords']));
  const reports = calls.filter(({ kind }) => kind === 'insights');
  expect(new Set(reports.map(({ level }) => level))).toEqual(
    new Set(['account', 'campaign', 'adGroup', 'keyword', 'creative']),
  );
  // The campaigns' report finds the campaigns too.
  const asked = reports
    .filter(({ level }) => level !== 'campaign')
    .map(({ at, account, path, query }) => JSON.stringify([at, account, path, query]));
  expect(new Set(asked).size).toBe(asked.length);
});
