import { dropOldChanges } from '@tributary/database';
import { ChangesSchema, type ObservationRow } from '@tributary/shared';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { type Seed, seedLink } from './testing/seed.ts';

const NOW = Date.parse('2026-11-10T12:00:00Z');
const DAY_MS = 86_400_000;

let api: TestApi;
let seed: Seed;
beforeAll(async () => {
  api = await openTestApi({ name: 'changes' });
  seed = await seedLink(api.db, { type: 'SOCIAL_ADS', account: '77', now: NOW, historyDays: 30 });
}, 60_000);
afterAll(() => api?.close());

const rows = (impressions: number): ObservationRow[] => [
  ['', '', '', '', impressions, 0, 0, 0, 0, null, 1],
];
const collect = (impressions: number) =>
  seed.collect({ source: 'a-base', day: '2026-11-08', rows: rows(impressions), fetchedAt: NOW });

async function read(query = '', key?: string) {
  const answer = await api.ask(`/changes${query}`, key === undefined ? {} : { key });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  return ChangesSchema.parse(answer.json());
}

test('tells what moved behind the cursor, and nothing of other tenants', async () => {
  const start = await read();
  expect(start).toMatchObject({ changes: [], more: false });
  await collect(10);
  const first = await read(`?cursor=${start.cursor}`);
  expect(first.changes).toContainEqual({
    at: expect.stringMatching(/^2026-11-\d\dT.*Z$/),
    id: seed.link._id,
    account: '77',
    level: 'adAccount',
    days: ['2026-11-08'],
  });
  expect(await read(`?cursor=${first.cursor}`)).toEqual({ ...first, changes: [] });
  await collect(11);
  expect((await read(`?cursor=${first.cursor}`)).changes).not.toEqual([]);
  expect((await read('', await api.createKey('other'))).changes).toEqual([]);
});

test('pages join without a gap', async () => {
  const whole = await read();
  expect(whole.changes.length).toBeGreaterThan(1);
  let page = await read('?limit=1');
  const seen = [...page.changes];
  for (let pages = 0; page.more && pages < 50; pages += 1) {
    page = await read(`?limit=1&cursor=${page.cursor}`);
    seen.push(...page.changes);
  }
  expect(seen).toEqual(whole.changes);
});

test("another tenant's cursor is 400, one whose changes are gone is 410", async () => {
  const { cursor } = await read('', await api.createKey('other'));
  const foreign = await api.ask(`/changes?cursor=${cursor}`);
  expect([foreign.status, foreign.text]).toEqual([400, expect.stringContaining(cursor)]);
  const old = await read('?limit=1');
  for (let n = 0; n < 100; n += 1) await collect(100 + n);
  expect(await dropOldChanges(api.db, NOW + 31 * DAY_MS)).toBeGreaterThan(0);
  const gone = await api.ask(`/changes?cursor=${old.cursor}`);
  expect([gone.status, gone.json()]).toEqual([
    410,
    expect.objectContaining({ code: 'cursor_expired' }),
  ]);
}, 60_000);
