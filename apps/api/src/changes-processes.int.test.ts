import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { ChangesSchema } from '@tributary/shared';
import { openTestApi, requireMongo, type TestApi } from './testing/open-test-api.ts';
import { createSourceProcesses } from './testing/source-process.ts';

const WRITERS = ['w0', 'w1', 'w2', 'w3'];
const EACH = 1_200;
const ALL = WRITERS.length * EACH;
/** Small and no divisor of a bucket. */
const LIMIT = 37;
const READS_MAX = 20_000;

const processes = createSourceProcesses();
let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'changesprocs' });
}, 60_000);
afterAll(async () => {
  processes.close();
  await api?.close();
});

/** Starts the writers, lets them begin at the same time, and reads until they ended and nothing more comes. */
async function whileAppending(
  mode: 'feed' | 'counter',
  tenant: string,
  readOn: () => Promise<boolean>,
) {
  const uri = requireMongo();
  uri.pathname = `/${api.db.db.databaseName}`;
  const children = WRITERS.map((writer) =>
    processes.start('testing/append-changes.ts', {
      args: [uri.href, mode, tenant, writer, String(EACH)],
    }),
  );
  const endings = children.map((child) => once(child, 'exit'));
  await Promise.all(children.map((child) => once(child.stdout, 'data')));
  for (const child of children) child.stdin.write('go\n');
  const state = { isOver: false };
  const ended = Promise.all(endings).finally(() => {
    state.isOver = true;
  });
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    const wasOver = state.isOver;
    if (await readOn()) continue;
    if (wasOver) break;
    await wait(10);
  }
  expect((await ended).map(([code]) => code)).toEqual([0, 0, 0, 0]);
}

const places = (feed: readonly { id: string; at: string }[]) =>
  feed.map(({ id, at }) => `${id} ${Date.parse(at)}`);

it('four processes at once lose nothing: a reader that resumes by cursor gets 4,800 of 4,800, in order, none twice', async () => {
  // Several keys, so that a limit per key is not what is measured.
  const keys = await Promise.all(Array.from({ length: 8 }, () => api.createKey('busy')));
  const seen: { id: string; at: string }[] = [];
  let cursor = '';
  let asked = 0;
  await whileAppending('feed', 'busy', async () => {
    asked += 1;
    const query = `limit=${LIMIT}${cursor && `&cursor=${cursor}`}`;
    const key = keys[asked % keys.length] ?? null;
    const answer = await api.ask(`/changes?${query}`, { key });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    const page = ChangesSchema.parse(answer.json());
    seen.push(...page.changes);
    cursor = page.cursor;
    return page.more;
  });
  expect(asked).toBeGreaterThan(ALL / LIMIT);
  expect(seen).toHaveLength(ALL);
  expect(new Set(places(seen)).size).toBe(ALL);
  for (const writer of WRITERS) {
    const own = seen.filter(({ id }) => id === writer).map(({ at }) => Date.parse(at));
    expect(own).toEqual(Array.from({ length: EACH }, (_, at) => at));
  }
  // Whoever reads it all again, in pages of another size, gets the same order.
  const again: { id: string; at: string }[] = [];
  let next = await api.ask('/changes?limit=500', { key: keys[0] ?? null });
  for (let pages = 0; pages < ALL; pages += 1) {
    const page = ChangesSchema.parse(next.json());
    again.push(...page.changes);
    if (!page.more) break;
    next = await api.ask(`/changes?limit=500&cursor=${page.cursor}`, { key: keys[0] ?? null });
  }
  expect(places(again)).toEqual(places(seen));
}, 120_000);

it('control: with a counter and then an entry the same reader misses some', async () => {
  const entries = api.db.db.collection<{ _id: number }>('naiveEntries');
  let last = 0;
  let seen = 0;
  await whileAppending('counter', 'busy', async () => {
    const page = await entries
      .find({ _id: { $gt: last } })
      .sort({ _id: 1 })
      .limit(LIMIT)
      .toArray();
    seen += page.length;
    last = page.at(-1)?._id ?? last;
    return page.length > 0;
  });
  expect(await entries.countDocuments()).toBe(ALL);
  expect(seen).toBeLessThan(ALL);
}, 120_000);
