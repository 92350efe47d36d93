import { deleteLink } from '@tributary/database';
import { purgeDeletedLinks } from './purge.ts';
import { openTestWorker, type TestWorker } from './testing/open-test-worker.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let worker: TestWorker;
beforeEach(async () => {
  worker = await openTestWorker();
});
afterEach(() => worker.close());

const purge = (signal = new AbortController().signal) => purgeDeletedLinks(worker.deps, signal);

async function deletedLink() {
  const { link, ids } = await worker.listed();
  await worker.turn(ids[0] ?? '');
  const left = () => worker.count('statDays', new RegExp(`^${link._id}\\.`));
  expect(await left()).toBe(6);
  await deleteLink(worker.db, link, worker.clock.time);
  const late = async (day: string) => {
    const statDays = worker.db.db.collection<{ _id: string }>('statDays');
    await statDays.insertOne({ _id: `${link._id}.c.1.${day}` });
  };
  return { link, left, late };
}

test('a link that was deleted while no worker ran is emptied by the next one, however late', async () => {
  const { left } = await deletedLink();
  worker.clock.time += 3 * DAY_MS;
  await purge();
  expect(await left()).toBe(0);
});

test('a purge that was interrupted goes on at the next call', async () => {
  const { left } = await deletedLink();
  await purge(AbortSignal.abort());
  expect(await left()).toBe(6);
  worker.clock.time += 5 * MINUTE_MS;
  await purge();
  expect(await left()).toBe(0);
});

test('what a late turn writes goes ten minutes and a day after the deletion, whatever is done then', async () => {
  const { link, left, late } = await deletedLink();
  await purge();
  await late('2026-11-01');
  worker.clock.time += MINUTE_MS;
  await purge();
  expect(await left()).toBe(1);
  worker.clock.time += 12 * MINUTE_MS;
  await purge();
  expect(await left()).toBe(0);
  await late('2026-11-02');
  worker.clock.time += DAY_MS;
  await purge();
  expect(await left()).toBe(0);
  const stored = await worker.db.db.collection<{ _id: string }>('links').findOne({ _id: link._id });
  expect(stored).toMatchObject({ deletedAt: expect.any(Number) });
  expect(stored).not.toHaveProperty('purgeAt');
});
