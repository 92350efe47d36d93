import { readCoverage } from '@tributary/database';
import { addDays, CHANNELS, eachDay } from '@tributary/shared';
import { compareWithTruth } from './testing/expect-truth.ts';
import { type OpenChannel, openChannel } from './testing/open-channel.ts';
import { buildApps } from './testing/processes.ts';

const TODAY = '2026-11-21';
const HISTORY_DAYS = 10;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

let channel: OpenChannel;
beforeAll(async () => {
  await buildApps();
  channel = await openChannel({
    type: 'PORTAL1_DA',
    credentials: {
      clientId: 'sandbox-da-client',
      clientSecret: 'sandbox-da-secret',
      refreshToken: 'sandbox-da-refresh',
      feedToken: 'sandbox-feed-token',
    },
    settings: (sandbox) => ({ historyDays: HISTORY_DAYS, feedUrl: `${sandbox}/feed` }),
    tokenPath: '/oauth2.0/token',
    now: `${TODAY}T12:30:00+09:00`,
  });
}, 300_000);
afterAll(() => channel?.close());

const compare = (from: string, to: string) =>
  compareWithTruth({
    db: channel.db,
    channel: 'PORTAL1_DA',
    link: channel.link,
    sandbox: channel.sandbox.url,
    from,
    to,
  });

test('every stored figure is the truth, after the first load and after days were restated', async () => {
  await channel.load();
  const from = addDays(TODAY, -HISTORY_DAYS);
  const first = await compare(from, addDays(TODAY, -1));
  expect(first.differences).toEqual([]);
  expect(first.compared).toBeGreaterThan(3_000);

  await channel.advance(4 * DAY_MS);
  await channel.load();
  const later = await compare(from, addDays(TODAY, 3));
  expect(later.differences).toEqual([]);
  expect(later.compared).toBeGreaterThan(first.compared);
}, 300_000);
