import { entityKey } from '@tributary/database';
import type { ObservationRow } from '@tributary/shared';
import { figures, openTestWorker, rowsOf, type TestWorker } from './testing/open-test-worker.ts';

const DAY_MS = 86_400_000;

let worker: TestWorker;
let id: string;
let link: string;
beforeEach(async () => {
  worker = await openTestWorker();
  const listed = await worker.listed();
  id = listed.ids[0] ?? '';
  link = listed.link._id;
});
afterEach(() => worker.close());

const entity = (level: 'c' | 'g' | 'd', name: string) =>
  worker.db.db
    .collection<{ _id: string }>('entities')
    .findOne({ _id: entityKey(link, level, name) });

/** The totals of ads tell of one that the tree does not have, nor what is above it. */
function tellOfTheUnlisted() {
  worker.script.collect = async function* (request) {
    yield* rowsOf(request);
    if (request.source.id !== 'd-base') return;
    const row: ObservationRow = ['c9', 'g9', 'd9', '', ...figures(7)];
    yield [{ day: request.to, set: 'd-base', rows: [row] }];
  };
}

async function workUntilDone() {
  for (let turns = 0; turns < 10; turns += 1) {
    const outcomes = [await worker.turn(id), await worker.turn(id, 'bulk')];
    if (outcomes.includes('done')) return;
  }
  throw new Error('There is always more to do');
}

test('what delivers and is not listed is found by its id, with what it belongs to', async () => {
  tellOfTheUnlisted();
  await workUntilDone();
  const common = { account: id, tenant: 't1', link, status: 'unknown' };
  expect(await entity('c', 'c9')).toMatchObject({ ...common, id: 'c9', title: 'c9', parent: '1' });
  expect(await entity('g', 'g9')).toMatchObject({ ...common, id: 'g9', title: 'g9', parent: 'c9' });
  expect(await entity('d', 'd9')).toMatchObject({ ...common, id: 'd9', title: 'd9', parent: 'g9' });
});

test('what is listed keeps its title and status', async () => {
  await workUntilDone();
  const known = await entity('c', 'c1');
  expect(known).toMatchObject({ title: 'C', status: 'active' });
  worker.clock.time += DAY_MS / 24;
  await workUntilDone();
  expect(await entity('c', 'c1')).toEqual(known);
});

test('the next reading of the tree gives it its title, or calls it removed', async () => {
  tellOfTheUnlisted();
  await workUntilDone();
  const campaign = { level: 'c', parent: '1', status: 'active' } as const;
  worker.script.entities = [
    { ...campaign, id: 'c1', title: 'C' },
    { ...campaign, id: 'c9', title: 'New' },
  ];
  worker.clock.time += DAY_MS;
  await workUntilDone();
  expect(await entity('c', 'c9')).toMatchObject({ title: 'New', status: 'active' });
  expect(await entity('g', 'g9')).toMatchObject({ title: 'g9', status: 'removed' });
});
