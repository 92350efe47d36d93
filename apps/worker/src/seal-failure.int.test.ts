import { wantRange } from '@tributary/database';
import { openTestWorker, rowsOf, type TestWorker } from './testing/open-test-worker.ts';

const MINUTE_MS = 60_000;
const BROKEN = '2026-11-20';

let worker: TestWorker;
beforeEach(async () => {
  worker = await openTestWorker();
});
afterEach(() => worker.close());

const alarms = async () => {
  const [counted] = (await worker.deps.metrics.unsealed.get()).values;
  return counted?.value ?? 0;
};

/** Rows of the campaigns' totals that no sealing accepts, for one day. */
function breakOneDay() {
  worker.script.collect = async function* broken(request) {
    for await (const page of rowsOf(request)) {
      if (request.source.id === 'c-base' && page[0]?.day === BROKEN) {
        yield [
          { day: BROKEN, set: 'c-base', rows: [['c1', '', '', '', 1, 1, null, 0, 0, null, 1]] },
        ];
      } else yield page;
    }
  };
}

test('a day that cannot be sealed is told of and tried again, and holds up no other day or level', async () => {
  const { link, ids } = await worker.listed({ historyDays: 4 });
  const [id = ''] = ids;
  breakOneDay();
  const levelsOf = async (day: string) => {
    const keys = ['a', 'c', 'g'].map((level) => `${link._id}\\.${level}\\..*\\.${day}$`);
    return Promise.all(keys.map((key) => worker.count('statDays', new RegExp(`^${key}`))));
  };
  expect(await worker.turn(id)).toBe('more'); // the other lane's
  expect(await worker.turn(id, 'bulk')).toBe('done');
  for (const day of ['2026-11-17', '2026-11-19', '2026-11-21']) {
    expect([day, await levelsOf(day)]).toEqual([day, [1, 1, 1]]);
  }
  expect(await levelsOf(BROKEN)).toEqual([1, 0, 1]);
  const { nextPlanAt, lane } = await worker.account(id);
  expect(nextPlanAt).toBeGreaterThan(worker.clock.time);
  expect(nextPlanAt).toBeLessThanOrEqual(worker.clock.time + 5 * MINUTE_MS);
  expect(lane.fresh).toEqual({ run: expect.any(Number), starts: 0, busyUntil: 0 });
  expect(await alarms()).toBeGreaterThan(0);

  worker.script.collect = undefined;
  worker.clock.time += 5 * MINUTE_MS;
  await wantRange(worker.db, id, { from: BROKEN, to: BROKEN, at: worker.clock.time });
  await worker.turn(id);
  expect(await levelsOf(BROKEN)).toEqual([1, 1, 1]);
  const told = await alarms();
  await worker.turn(id);
  expect(await alarms()).toBe(told);
});
