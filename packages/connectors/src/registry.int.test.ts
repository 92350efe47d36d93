import { createReleasers } from '@tributary/runtime';
import { CHANNEL_TYPES, CHANNELS } from '@tributary/shared';
import { callLimitOf, createConnectors } from './registry.ts';
import { createTestTokens } from './testing/access-tokens.ts';
import { createOpenBudget } from './testing/contract.ts';
import { json, type Seen, startScriptedServer } from './testing/scripted-server.ts';

/** An answer without rows in whatever dialect. */
function nothing({ method, url: { pathname: path } }: Seen): unknown {
  if (path.endsWith('/blog-days')) return { days: [] };
  if (path.endsWith('/observations')) return { rows: [] };
  if (path.startsWith('/PORTAL1_SEARCH_AD/')) {
    const isJob = method === 'POST' || path.endsWith('/1');
    return isJob ? { reportJobId: 1, reportTp: 'AD', status: 'NONE' } : [];
  }
  if (path.startsWith('/PORTAL2_KEYWORD/') && !path.endsWith('/report')) return [];
  const token = { access_token: 't', expires_in: 3600 };
  return { data: [], rows: [], content: [], totalElements: 0, last: true, ...token };
}

test('every connector sits under its own type, calls the given address and has a limit for its budget keys', async () => {
  const server = await startScriptedServer();
  const releasers = createReleasers();
  const { budget, taken } = createOpenBudget();
  const connectors = createConnectors({
    baseUrls: Object.fromEntries(CHANNEL_TYPES.map((type) => [type, `${server.url}/${type}`])),
    tokenUrls: Object.fromEntries(
      CHANNEL_TYPES.map((type) => [type, `${server.url}/${type}/token`]),
    ),
    budget,
    accessTokens: createTestTokens(() => 0),
    clock: { now: () => Date.UTC(2026, 10, 21) },
    allowPrivateAddresses: true,
    releasers,
  });
  server.answer((seen, res) => json(res, nothing(seen)));
  const client = { clientId: 'c', clientSecret: 's', refreshToken: 'r' };
  const keys = { customerId: '1', apiKey: 'k', secretKey: 's' };
  const credentials = { accessToken: 'a', businessToken: 'b', ...client, ...keys };
  const feedUrl = `${server.url}/feed`;
  const settings = { feedUrl, conversion: 'omni_purchase', conversionKinds: ['purchase'] };
  for (const [type, connector] of Object.entries(connectors)) {
    expect(connector.type).toBe(type);
    const access = { link: 'l/1', credentials, settings, signal: new AbortController().signal };
    const account = { id: '1', zone: 'Asia/Seoul', currency: 'KRW' };
    const window = { from: '2026-11-18', to: '2026-11-18', onReport: async () => {} };
    for await (const _ of connector.listEntities({ ...access, account }));
    const { sources } = CHANNELS[connector.type];
    for (const source of [sources[0], sources.at(-1)]) {
      if (!source) throw new Error(`${type} has no source`);
      for await (const _ of connector.collect({ ...access, account, source, ...window }));
    }
  }
  await releasers.releaseAll();
  await server.close();
  const called = new Set(server.seen.map(({ url }) => url.pathname.split('/')[1]));
  const feeds = ['PORTAL1_BLOG', 'feed'];
  expect(
    Object.keys(connectors).filter((type) => !called.has(type) && !feeds.includes(type)),
  ).toEqual([]);
  expect(server.seen.map(({ url }) => url.pathname)).toContain('/SOCIAL_ADS/v26.0/act_1/insights');
  expect(taken.length).toBeGreaterThanOrEqual(server.seen.length);
  for (const key of taken) expect(callLimitOf(key).perHour).toBeGreaterThan(0);
});

test('a budget key without a limit is named', () => {
  expect(() => callLimitOf('SOCIAL_ADS/1/2/other')).toThrow("'SOCIAL_ADS/1/2/other'");
});
