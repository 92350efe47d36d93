import {
  type AuthorizedLink,
  accountKey,
  createRun,
  findLink,
  LINK_ACCOUNT,
  type RefreshRun,
  readRunProgress,
} from '@tributary/database';
import { AuthLostError, RetryableError } from '@tributary/runtime';
import { openTestWorker, rowsOf, type TestWorker } from './testing/open-test-worker.ts';

const MINUTE_MS = 60_000;
const SOURCES = 22;
const RANGE = { from: '2026-11-10', to: '2026-11-11' };

let worker: TestWorker;
beforeEach(async () => {
  worker = await openTestWorker();
});
afterEach(() => worker.close());

/** A link of which everything is collected. */
async function collected() {
  const { link, ids } = await worker.listed({ historyDays: 20 });
  const id = ids[0] ?? '';
  await worker.turn(id);
  expect(await worker.turn(id, 'bulk')).toBe('done');
  worker.clock.time += MINUTE_MS;
  worker.script.asked.length = 0;
  return { link, id };
}

async function ask(link: AuthorizedLink): Promise<RefreshRun> {
  const { db, clock } = worker;
  const stored = (await findLink(db, link.tenant, link._id)) ?? link;
  const request = { links: [stored], range: RANGE, now: clock.time };
  const answer = await createRun(db, link.tenant, request);
  if (answer.state !== 'asked') throw new Error(`Not asked: ${answer.state}`);
  return answer.run;
}

const lose = () => Promise.reject(new AuthLostError('token_expired', 'Connect again.'));
const progress = (run: RefreshRun) => readRunProgress(worker.db, run, worker.clock.time);

test('a turn reads exactly what was asked for, and then the wish is gone and the run is done', async () => {
  const { link, id } = await collected();
  const run = await ask(link);
  expect(await progress(run)).toMatchObject({ planned: 2 * SOURCES, percent: 0 });
  expect(await worker.turn(id, 'bulk')).toBe('done');
  const asked = worker.script.asked.map(({ source, ...range }) => [source, range.from, range.to]);
  expect(asked).toHaveLength(SOURCES);
  for (const [, from, to] of asked) expect([from, to]).toEqual([RANGE.from, RANGE.to]);
  expect(await progress(run)).toMatchObject({ done: 2 * SOURCES, percent: 100 });
  expect((await worker.account(id)).wanted).toEqual([]);
});

test('what the platform does not give is named, and collected when it does', async () => {
  const { link, id } = await collected();
  const run = await ask(link);
  worker.script.collect = (request) => {
    if (request.source.id !== 'c-age') return rowsOf(request);
    throw new RetryableError('provider_down', 'The platform is down.');
  };
  await worker.turn(id, 'bulk');
  const after = await progress(run);
  expect(after).toMatchObject({ done: 2 * SOURCES - 2, failed: 2, percent: 95 });
  expect(after.failures.map(({ day, source, code }) => [day, source, code])).toEqual([
    ['2026-11-11', 'c-age', 'provider_down'],
    ['2026-11-10', 'c-age', 'provider_down'],
  ]);
  worker.script.collect = undefined;
  worker.clock.time = after.nextAt ?? 0;
  await worker.turn(id, 'bulk');
  expect(await progress(run)).toMatchObject({ failed: 0, percent: 100 });
});

test('a link that waits for a person is tried again, and says so when it is in vain', async () => {
  const { link, id } = await collected();
  const linkNow = () => findLink(worker.db, link.tenant, link._id);
  worker.script.collect = lose;
  await ask(link);
  await worker.turn(id, 'bulk');
  expect((await linkNow())?.status).toBe('Disconnect');

  worker.clock.time += MINUTE_MS;
  const inVain = await ask(link);
  expect(await linkNow()).toMatchObject({ status: 'Linking', reason: null });
  await worker.turn(accountKey(link._id, LINK_ACCOUNT));
  await worker.turn(id, 'bulk');
  const { links, done } = await progress(inVain);
  expect(done).toBe(0);
  expect(links[0]).toMatchObject({ status: 'Disconnect', reason: { code: 'token_expired' } });

  worker.clock.time += MINUTE_MS;
  worker.script.collect = undefined;
  const run = await ask(link);
  await worker.turn(accountKey(link._id, LINK_ACCOUNT));
  await worker.turn(id, 'bulk');
  expect(await progress(run)).toMatchObject({ percent: 100 });
});
