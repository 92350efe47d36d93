import type { CollectRequest } from '@tributary/connectors';
import { FatalError, RateLimitedError, RetryableError } from '@tributary/runtime';
import {
  openTestWorker,
  rowsOf,
  type Script,
  type TestWorker,
} from './testing/open-test-worker.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const TODAY = '2026-11-21';
const YESTERDAY = '2026-11-20';

let worker: TestWorker;
let id: string;
let now: number;
beforeEach(async () => {
  worker = await openTestWorker();
  const { ids } = await worker.listed();
  id = ids[0] ?? '';
  now = worker.clock.time;
});
afterEach(() => worker.close());

/** One source does something else than giving its rows. */
function script(source: string, act: NonNullable<Script['collect']>) {
  worker.script.collect = (request) =>
    request.source.id === source ? act(request) : rowsOf(request);
}
const askedOf = (source: string) => worker.script.asked.filter((one) => one.source === source);

test('a throttle quiets the lane until then, leaves the cells as they were and is no failure', async () => {
  const until = now + 20 * MINUTE_MS;
  script('a-gender', () => {
    throw new RateLimitedError(until, 'Wait');
  });
  expect(await worker.turn(id)).toBe('stopped');
  expect(worker.script.asked.map(({ source }) => source)).toEqual(['a-age', 'a-gender']);
  expect(await worker.cell(id, TODAY, 'a-gender')).toBeUndefined();
  expect(await worker.cell(id, TODAY, 'a-age')).toMatchObject({ state: 'ok' });
  const { lane, nextPlanAt } = await worker.account(id);
  expect(lane.fresh).toMatchObject({ quiet: { until }, starts: 0, busyUntil: 0 });
  expect(nextPlanAt).toBeLessThanOrEqual(until);

  worker.clock.time = until - 1;
  await worker.turn(id);
  expect(worker.script.asked).toHaveLength(2);
  worker.clock.time = until;
  script('', rowsOf);
  expect(await worker.turn(id)).toBe('done');
  expect(await worker.cell(id, TODAY, 'a-gender')).toMatchObject({ state: 'ok' });
});

test('a failed call leaves nothing, says why, and is tried again ever later, not before', async () => {
  script('a-age', () => {
    throw new RetryableError('platform_error', 'The platform said: later');
  });
  const waits: number[] = [];
  for (let tries = 1; tries <= 3; tries += 1) {
    await worker.turn(id);
    const cell = await worker.cell(id, TODAY, 'a-age');
    expect(cell).toEqual({
      state: 'failed',
      code: 'platform_error',
      detail: 'The platform said: later',
      tries,
      triedAt: worker.clock.time,
      retryAt: expect.any(Number),
    });
    const retryAt = cell?.retryAt ?? 0;
    waits.push((retryAt - worker.clock.time) / MINUTE_MS);
    worker.clock.time = retryAt - 1;
    await worker.turn(id);
    expect(askedOf('a-age')).toHaveLength(tries);
    worker.clock.time = retryAt;
  }
  expect(waits).toEqual([5, 10, 20]);
  expect(await worker.count('observations', /\.a-age\./)).toBe(0);
  expect(await worker.cell(id, TODAY, 'a-gender')).toMatchObject({ state: 'ok' });

  script('', rowsOf);
  expect(await worker.turn(id)).toBe('done');
  const mended = await worker.cell(id, TODAY, 'a-age');
  expect(mended).toMatchObject({ state: 'ok', chunks: 1 });
  expect(mended).not.toHaveProperty('tries');
  expect(mended).not.toHaveProperty('code');
});

test('a malformed page in the middle of a window stores nothing of the window, and no half of it remains later', async () => {
  script('a-age', async function* broken(request) {
    yield* rowsOf({ ...request, to: request.from }, 7);
    throw new RetryableError('malformed_row', "Malformed row: '1e9' in spend");
  });
  await worker.turn(id);
  expect(await worker.count('observations', /\.a-age\./)).toBe(0);
  for (const day of [YESTERDAY, TODAY]) {
    const cell = await worker.cell(id, day, 'a-age');
    expect(cell).toMatchObject({ state: 'failed', code: 'malformed_row' });
    expect(cell).not.toHaveProperty('base');
  }
  worker.clock.time = now + HOUR_MS;
  script('', rowsOf);
  await worker.turn(id);
  expect(await worker.count('observations', /\.a-age\./)).toBe(2);
});

test('a failure keeps what an earlier turn stored', async () => {
  await worker.turn(id);
  const stored = await worker.cell(id, TODAY, 'a-age');
  worker.clock.time = now + 2 * HOUR_MS;
  script('a-age', () => {
    throw new RetryableError('platform_error', 'No');
  });
  await worker.turn(id);
  const { base, digest, fetchedAt } = stored ?? {};
  expect(await worker.cell(id, TODAY, 'a-age')).toMatchObject({
    state: 'failed',
    base,
    digest,
    fetchedAt,
  });
  expect(await worker.count('observations', /\.a-age\.2026-11-21\./)).toBe(1);
});

test('what will fail the same way is tried again hours later', async () => {
  script('a-age', () => {
    throw new FatalError('bad_breakdown', 'No longer offered');
  });
  await worker.turn(id);
  const cell = await worker.cell(id, TODAY, 'a-age');
  expect(cell).toMatchObject({ state: 'failed', code: 'bad_breakdown', tries: 1 });
  expect(cell?.retryAt).toBe(now + 6 * HOUR_MS);
});

describe('a report of the platform', () => {
  const running = () => new RetryableError('report_running', 'Still being made');

  /** Asks for a report and finds it unfinished, as the connectors do. */
  async function unfinished({ report, from, to, onReport }: CollectRequest): Promise<never> {
    if (!report) await onReport({ id: `r.${from}.${to}`, from, to });
    throw running();
  }

  test('is stored before it is first polled', async () => {
    let stored: unknown;
    script('a-age', async (request) => {
      const { from, to } = request;
      await request.onReport({ id: 'r1', from, to });
      stored = await worker.cell(id, from, 'a-age');
      return rowsOf(request);
    });
    await worker.turn(id);
    expect(stored).toMatchObject({
      state: 'waiting',
      code: 'report_running',
      report: { id: 'r1', from: YESTERDAY, to: TODAY, at: now },
      retryAt: now + 20_000,
    });
    expect(await worker.cell(id, TODAY, 'a-age')).not.toHaveProperty('report');
  });

  test('is gone on with by a later turn, which reads it as what it is: figures of its creation', async () => {
    script('a-age', unfinished);
    await worker.turn(id);
    worker.clock.time = now + 20_000;
    await worker.turn(id);
    worker.clock.time = now + 40_000;
    script('', rowsOf);
    await worker.turn(id);
    const report = `r.${YESTERDAY}.${TODAY}`;
    expect(askedOf('a-age').map((one) => one.report)).toEqual([undefined, report, report]);
    const cell = await worker.cell(id, TODAY, 'a-age');
    expect(cell).toMatchObject({ state: 'ok', fetchedAt: now });
    expect(cell).not.toHaveProperty('report');
  });

  test('that was made before a slot does not stand for the reading at that slot', async () => {
    script('a-age', unfinished);
    await worker.turn(id);
    worker.clock.time = now + 2 * HOUR_MS;
    script('', rowsOf);
    await worker.turn(id);
    worker.clock.time += 1;
    await worker.turn(id);
    const today = askedOf('a-age').filter(({ to }) => to === TODAY);
    expect(today.map((one) => one.report !== undefined)).toEqual([false, true, false]);
    expect(await worker.cell(id, TODAY, 'a-age')).toMatchObject({ fetchedAt: worker.clock.time });
  });

  test('is used for the days it was made for only, also when more days are due by then', async () => {
    script('a-age', unfinished);
    await worker.turn(id);
    worker.clock.time = now + 17 * HOUR_MS; // 02:02 of the next day in Seoul
    await worker.turn(id);
    const [first, second] = askedOf('a-age');
    expect(second).toEqual({ ...first, report: `r.${YESTERDAY}.${TODAY}` });
  });

  test('survives a poll that fails, also in the turn that made it, and is not made again', async () => {
    script('a-age', async ({ report, from, to, onReport }) => {
      if (!report) await onReport({ id: 'r1', from, to });
      throw new RetryableError('html_answer', 'A page of HTML');
    });
    await worker.turn(id);
    const cell = await worker.cell(id, TODAY, 'a-age');
    expect(cell).toMatchObject({ state: 'failed', code: 'html_answer', report: { id: 'r1' } });
    worker.clock.time = cell?.retryAt ?? 0;
    await worker.turn(id);
    expect(askedOf('a-age').map(({ report }) => report)).toEqual([undefined, 'r1']);
  });

  test('that failed is forgotten: the next turn makes a new one', async () => {
    script('a-age', async ({ report, from, to, onReport }) => {
      if (!report) await onReport({ id: 'r1', from, to });
      throw new RetryableError('report_failed', 'Job Failed');
    });
    await worker.turn(id);
    const cell = await worker.cell(id, TODAY, 'a-age');
    expect(cell).toMatchObject({ state: 'failed', code: 'report_failed' });
    expect(cell).not.toHaveProperty('report');
    worker.clock.time = cell?.retryAt ?? 0;
    await worker.turn(id);
    expect(askedOf('a-age').map(({ report }) => report)).toEqual([undefined, undefined]);
  });
});
