import { addDays } from '@tributary/shared';
import { compareWithTruth } from './testing/expect-truth.ts';
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

const compare = (from: string, to: string) =>
  compareWithTruth({
    db: channel.db,
    channel: 'PORTAL2_KEYWORD',
    link: channel.link,
    sandbox: channel.sandbox.url,
    from,
    to,
  });

test('every stored figure is the truth, after the first load and after days were restated', async () => {
  await channel.load();
  const first = await compare(FROM, TODAY);
  expect(first.differences).toEqual([]);
  expect(first.compared).toBeGreaterThan(5_000);

  await channel.advance(4 * DAY_MS);
  await channel.load();
  const later = await compare(FROM, LATER);
  expect(later.differences).toEqual([]);
  expect(later.compared).toBeGreaterThan(first.compared);
}, 300_000);
