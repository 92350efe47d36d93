import { createReleasers } from '@tributary/runtime';
import { CHANNELS } from '@tributary/shared';
import { callLimitOf, createConnectors } from './registry.ts';
import { createTestTokens } from './testing/access-tokens.ts';
import { createOpenBudget } from './testing/contract.ts';
import { json, startScriptedServer } from './testing/scripted-server.ts';

test('every connector sits under its own type, calls the given address and has a limit for its budget keys', async () => {
  const server = await startScriptedServer();
  const releasers = createReleasers();
  const { budget, taken } = createOpenBudget();
  const connectors = createConnectors({
    baseUrls: {
      SOCIAL_ADS: `${server.url}/social`,
      PORTAL2_KEYWORD: `${server.url}/keyword`,
      PORTAL2_DISPLAY: `${server.url}/display`,
    },
    budget,
    accessTokens: createTestTokens(() => 0),
    clock: { now: () => Date.UTC(2026, 10, 21) },
    allowPrivateAddresses: true,
    releasers,
  });
  server.answer(({ url }, res) => json(res, emptyAnswer(url.pathname)));
  const credentials = { accessToken: 'a', businessToken: 'b' };
  const settings = { feedUrl: `${server.url}/feed`, conversion: 'omni_purchase' };
  for (const [type, connector] of Object.entries(connectors)) {
    expect(connector.type).toBe(type);
    const access = { link: 'l/1', credentials, settings, signal: new AbortController().signal };
    const account = { id: '1', zone: 'Asia/Seoul', currency: 'KRW' };
    const window = { from: '2026-11-18', to: '2026-11-18', onReport: async () => {} };
    for await (const _ of connector.listEntities({ ...access, account }));
    const source = CHANNELS[connector.type].sources[0];
    if (!source) throw new Error(`${type} has no source`);
    for await (const _ of connector.collect({ ...access, account, source, ...window }));
  }
  await releasers.releaseAll();
  await server.close();
  const paths = server.seen.map(({ url }) => url.pathname);
  expect(paths).toContain('/social/v26.0/act_1/insights');
  expect(paths).toContain('/keyword/openapi/v1/campaigns/report');
  expect(paths).toContain('/display/openapi/v4/adAccounts/report');
  expect(taken).toHaveLength(paths.length);
  for (const key of taken) expect(callLimitOf(key).perHour).toBeGreaterThan(0);
});

function emptyAnswer(path: string): unknown {
  if (path.startsWith('/keyword/') && !path.endsWith('/report')) return [];
  return path.includes('blog') ? { days: [] } : { data: [], content: [] };
}

test('a budget key without a limit is named', () => {
  expect(() => callLimitOf('SOCIAL_ADS/1/2/other')).toThrow("'SOCIAL_ADS/1/2/other'");
});
