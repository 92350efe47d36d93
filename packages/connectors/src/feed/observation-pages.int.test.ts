import { CHANNELS, findSource } from '@tributary/shared';
import { createAgent } from '../http/agent.ts';
import { createHttpClient } from '../http/http-client.ts';
import { createOpenBudget } from '../testing/contract.ts';
import { json, startScriptedServer } from '../testing/scripted-server.ts';
import { observationPages } from './observation-pages.ts';

test('asks for one account, level and list, page by page, with the bearer token', async () => {
  const server = await startScriptedServer();
  const agent = createAgent();
  try {
    server.answer(({ url }, res) =>
      json(res, url.searchParams.has('cursor') ? { rows: [2] } : { rows: [1], next: 'n' }),
    );
    const { budget, taken } = createOpenBudget();
    const source = findSource(CHANNELS.PORTAL1_DA, 'g-publisherGroup');
    if (!source) throw new Error('No source g-publisherGroup');
    const pages = observationPages(
      { http: createHttpClient({ dispatcher: agent }), budget, clock: { now: () => 0 } },
      {
        link: 'link1',
        credentials: { feedToken: 'secret' },
        settings: { feedUrl: `${server.url}/export/?site=7` },
        signal: new AbortController().signal,
        account: { id: '77', zone: 'Asia/Seoul', currency: 'KRW' },
        source,
        from: '2026-11-01',
        to: '2026-11-02',
      },
      'PORTAL1_DA/link1/77/feed',
    );
    const rows: unknown[] = [];
    for await (const page of pages) rows.push(...page);
    expect(rows).toEqual([1, 2]);
    const query =
      'site=7&start=2026-11-01&end=2026-11-02&account=77&level=adGroup&dimension=publisherGroup';
    expect(server.seen.map(({ url }) => `${url.pathname}${url.search}`)).toEqual([
      `/export/v1/observations?${query}`,
      `/export/v1/observations?${query}&cursor=n`,
    ]);
    expect(server.seen[0]?.headers.authorization).toBe('Bearer secret');
    expect(taken).toEqual(['PORTAL1_DA/link1/77/feed', 'PORTAL1_DA/link1/77/feed']);
  } finally {
    await agent.destroy();
    await server.close();
  }
});
