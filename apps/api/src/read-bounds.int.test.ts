import type { ObservationRow } from '@tributary/shared';
import { createRoutes } from './routes.ts';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { sampleRequest } from './testing/sample-request.ts';
import { type Seed, seedLink } from './testing/seed.ts';

let api: TestApi;
let ads: Seed;
let blog: Seed;
beforeAll(async () => {
  api = await openTestApi({ name: 'read_bounds' });
  const common = { now: api.clock.now(), historyDays: 30 };
  const entities = [
    { level: 'a', id: '1', parent: '', title: 'Account', status: 'active' },
    { level: 'c', id: '1', parent: '1', title: 'Campaign', status: 'active' },
    { level: 'g', id: '1', parent: '1', title: 'Ad group', status: 'active' },
    { level: 'd', id: '1', parent: '1', title: 'Ad', status: 'active' },
  ] as const;
  ads = await seedLink(api.db, { ...common, type: 'SOCIAL_ADS', account: '1', entities });
  blog = await seedLink(api.db, { ...common, type: 'PORTAL1_BLOG', account: 'blog' });
  const row: ObservationRow = ['1', '', '', '', 5, 0, 0, 0, 5, null, 1];
  const day = { day: '2026-11-01', rows: [row], fetchedAt: api.clock.now() } as const;
  await ads.collect({ ...day, source: 'c-base' });
});
afterAll(() => api?.close());

const READS = ['find', 'aggregate', 'count', 'distinct', 'listCollections'];

it('every reading of every route is bound to five seconds in the database', async () => {
  const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });
  const deletesLast = routes.toSorted(
    (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
  );
  const found: { place: string; command: string; maxTimeMS: unknown }[] = [];
  let place = '';
  api.db.db.client.on('commandStarted', ({ commandName, command }) => {
    if (READS.includes(commandName)) {
      found.push({ place, command: JSON.stringify(command), maxTimeMS: command.maxTimeMS });
    }
  });
  let run = 'x';
  for (const route of deletesLast) {
    place = `${route.method} ${route.path}`;
    const { link } = /blog|import/.test(route.path) ? blog : ads;
    const answer = await api.ask(...sampleRequest(route, { id: link._id, run }));
    expect([place, [400, 500, 503].includes(answer.status), answer.text]).toEqual([
      place,
      false,
      answer.text,
    ]);
    if (place === 'POST /refresh') run = String((answer.json() as { run?: unknown }).run);
  }
  expect(found.filter(({ maxTimeMS }) => maxTimeMS !== 5_000)).toEqual([]);
  // Writing a comment reads nothing else.
  const readers = new Set(found.map((one) => one.place));
  expect(readers.size).toBeGreaterThanOrEqual(routes.length - 3);
});
