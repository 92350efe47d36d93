import { createLogger } from '@tributary/runtime';
import { createApi } from './api.ts';
import type { Route } from './http/define-route.ts';
import type { HttpServer } from './http/server.ts';
import { createRoutes } from './routes.ts';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { requestOf, valuesOf } from './testing/route-request.ts';
import { routeName } from './testing/route-table.ts';
import { type SeededTenant, seedTenant } from './testing/seed-tenant.ts';

let api: TestApi;
let tenant: SeededTenant;
/** Keeps nothing yet of what was asked while seeding. */
let cold: HttpServer;
beforeAll(async () => {
  api = await openTestApi({ name: 'read_bounds' });
  tenant = await seedTenant(api, { word: 'bounds', number: '731564625' });
  const { env, db, box, clock } = api;
  const logger = createLogger({ name: 'test', level: 'silent' });
  cold = await createApi({ env, db, box, clock, logger });
});
afterAll(async () => {
  await cold?.close();
  await api?.close();
});

/** After these the others would be refused. */
const LAST = ['PUT /link/schedule', 'DELETE /comment', 'DELETE /link'];
const READS = ['find', 'aggregate', 'count', 'distinct', 'listCollections'];

it('every reading of every route is bound to five seconds in the database', async () => {
  const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });
  const rankOf = (route: Route) => LAST.indexOf(routeName(route));
  const found: { place: string; command: string; maxTimeMS: unknown }[] = [];
  let place = '';
  api.db.db.client.on('commandStarted', ({ commandName, command }) => {
    if (READS.includes(commandName)) {
      found.push({ place, command: JSON.stringify(command), maxTimeMS: command.maxTimeMS });
    }
  });
  for (const route of routes.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    place = routeName(route);
    const { path, headers, ...request } = requestOf(route, valuesOf(route, tenant.ids));
    const answer = await fetch(cold.url + path, {
      ...request,
      headers: { ...headers, 'X-API-Key': tenant.key },
    });
    expect([place, answer.ok, await answer.text()]).toEqual([place, true, expect.any(String)]);
  }
  expect(found.filter(({ maxTimeMS }) => maxTimeMS !== 5_000)).toEqual([]);
  const readers = new Set(found.map((one) => one.place));
  const others = routes.map(routeName).filter((name) => !readers.has(name));
  expect(others).toEqual(['POST /comment', 'DELETE /comment']);
});
