import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RateLimitedError } from '@tributary/runtime';
import { CHANNELS, findSource } from '@tributary/shared';
import type { FeedBlogDay } from '../feed/blog-day-schema.ts';
import { createAgent } from '../http/agent.ts';
import { checkFeedUrlForm, createGuardedLookup } from '../http/feed-url.ts';
import { createHttpClient } from '../http/http-client.ts';
import { createOpenBudget, describeConnectorContract, drain } from '../testing/contract.ts';
import { json, type ScriptedServer, startScriptedServer } from '../testing/scripted-server.ts';
import { createPortal1BlogConnector } from './index.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const ACCOUNT = { id: 'blog', zone: 'Asia/Seoul', currency: 'KRW' };

const file = readFileSync(join(__dirname, 'fixtures', 'blog-days.json'), 'utf8');
const [first]: [FeedBlogDay] = JSON.parse(file).days;
const { date: _date, ...figures } = first;
const second: FeedBlogDay = {
  ...first,
  date: '2026-11-19',
  pageViews: 0,
  visitors: 0,
  visits: 0,
  averageDurationSeconds: 0,
  referrers: [],
  posts: [],
};
const { date: _secondDate, ...secondFigures } = second;

function source() {
  const found = findSource(CHANNELS.PORTAL1_BLOG, 'blog-days');
  if (!found) throw new Error('No source blog-days');
  return found;
}

function open(
  deps: Pick<Parameters<typeof createPortal1BlogConnector>[0], 'budget' | 'clock'>,
  allowPrivateAddresses = true,
) {
  const rules = { allowPrivateAddresses };
  const agent = createAgent({ lookup: createGuardedLookup(rules) });
  const checkUrl = (url: URL) => checkFeedUrlForm(url, rules);
  const http = createHttpClient({ dispatcher: agent, repeatWaitMs: 5, checkUrl });
  return {
    connector: createPortal1BlogConnector({ ...deps, http }),
    close: () => agent.destroy(),
  };
}

describeConnectorContract('PORTAL1_BLOG', {
  open,
  credentials: { feedToken: 'feed-secret' },
  settings: (baseUrl) => ({ feedUrl: `${baseUrl}/exports/?site=7` }),
  secrets: ['feed-secret'],
  accountsAnswer: { days: [] },
  accounts: [{ ...ACCOUNT, title: 'Blog', status: 'active' }],
  request: { account: ACCOUNT, source: source(), from: '2026-11-18', to: '2026-11-19' },
  page: (days, next) => (next ? { days, next } : { days }),
  cursorOf: ({ url }) => url.searchParams.get('cursor'),
  rows: [[first], [second]],
  observed: [
    { day: '2026-11-18', set: 'blog', rows: [figures] },
    { day: '2026-11-19', set: 'blog', rows: [secondFigures] },
  ],
  spoilt: [second, { ...first, visits: '251' }],
  throttle: (res) => json(res, {}, 429, { 'retry-after': '30' }),
  authLost: (res) => json(res, {}, 401),
});

const request = (settings: object) => ({
  link: 'link1',
  credentials: { feedToken: 'feed-secret' },
  settings: { historyDays: 400, ...settings },
  signal: new AbortController().signal,
  account: ACCOUNT,
  source: source(),
  from: '2026-11-18',
  to: '2026-11-19',
  onReport: async () => {},
});
describe('PORTAL1_BLOG', () => {
  let server: ScriptedServer;
  let opened: ReturnType<typeof open>;
  beforeEach(async () => {
    server = await startScriptedServer();
    opened = open({ budget: createOpenBudget().budget, clock: { now: () => NOW } });
  });
  afterEach(async () => {
    await opened.close();
    await server.close();
  });

  const collect = () => drain(opened.connector.collect(request({ feedUrl: server.url })));

  test('asks below the feed address, keeping its own query, with the bearer token', async () => {
    server.answer((_seen, res) => json(res, { days: [first] }));
    const settings = { feedUrl: `${server.url}/exports/?site=7` };
    await drain(opened.connector.collect(request(settings)));
    expect(server.seen[0]?.url.pathname).toBe('/exports/v1/blog-days');
    expect(server.seen[0]?.url.search).toBe('?site=7&start=2026-11-18&end=2026-11-19');
    expect(server.seen[0]?.headers.authorization).toBe('Bearer feed-secret');
  });

  test.each([
    ['a day outside the window', { ...first, date: '2026-11-20' }, 'malformed_row'],
    ['a date that is none', { ...first, date: '2026-02-30' }, 'malformed_answer'],
    ['a negative count', { ...first, visits: -1 }, 'malformed_answer'],
    ['a broken count', { ...first, visits: 1.5 }, 'malformed_answer'],
    ['a count beyond 2^53', { ...first, visits: 2 ** 60 }, 'malformed_answer'],
    ['an endless visit', { ...first, averageDurationSeconds: 1e300 }, 'malformed_answer'],
    ['a missing field', { ...first, visits: undefined }, 'malformed_answer'],
    ['a field that is not in the contract', { ...first, vists: 1 }, 'malformed_answer'],
  ])('refuses %s', async (_name, day, code) => {
    server.answer((_seen, res) => json(res, { days: [second, day] }));
    const { observed, error } = await collect();
    expect(error?.code).toBe(code);
    expect(observed).toEqual([]);
  });

  test.each([
    ['30', 30_000, 30_000],
    ['Sat, 21 Nov 2026 12:02:00 GMT', 120_000, 120_000],
    [undefined, 60_000, 90_000],
    ['-1', 60_000, 90_000],
    ['999999', 3_600_000, 3_600_000],
  ])('a 429 with Retry-After %s waits between %d and %d ms', async (header, least, most) => {
    const headers = header === undefined ? {} : { 'retry-after': header };
    server.answer((_seen, res) => json(res, {}, 429, headers));
    const { until } = (await collect()).error as RateLimitedError; // Else NaN, which fails below.
    expect(until - NOW).toBeGreaterThanOrEqual(least);
    expect(until - NOW).toBeLessThanOrEqual(most);
  });

  test('without a feed there is one account with an empty tree, whose days are no_feed', async () => {
    const access = request({ timezone: 'Europe/Berlin' });
    expect(await opened.connector.listAccounts(access)).toEqual([
      { id: 'blog', title: 'Blog', zone: 'Europe/Berlin', currency: 'KRW', status: 'active' },
    ]);
    const { error } = await drain(opened.connector.collect(access));
    expect([error?.name, error?.code]).toEqual(['FatalError', 'no_feed']);
    for await (const page of opened.connector.listEntities(access)) expect(page).toEqual([]);
    expect(server.seen).toHaveLength(0);
  });

  test('a feed that refuses the token is found when the link is made', async () => {
    server.answer((_seen, res) => json(res, {}, 403));
    const listed = opened.connector.listAccounts(request({ feedUrl: server.url }));
    await expect(listed).rejects.toMatchObject({ name: 'AuthLostError', code: 'grant_rejected' });
  });

  test('a private address is not called, whatever was saved', async () => {
    const deps = { budget: createOpenBudget().budget, clock: { now: () => NOW } };
    const guarded = open(deps, false);
    const port = new URL(server.url).port;
    for (const feedUrl of [server.url, `https://127.0.0.1:${port}`, `https://localhost:${port}`]) {
      const { error } = await drain(guarded.connector.collect(request({ feedUrl })));
      expect([feedUrl, error?.code]).toEqual([feedUrl, 'feed_url_refused']);
    }
    await guarded.close();
    expect(server.seen).toHaveLength(0);
  });

  test('refuses a time zone that does not exist', () => {
    expect(opened.connector.SettingsSchema.safeParse({ timezone: 'Asia/Soul' }).success).toBe(
      false,
    );
  });
});
