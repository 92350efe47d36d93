import { setTimeout as wait } from 'node:timers/promises';
import { addDays, CHANNELS, dayAt, eachDay, type Fill, type Part } from '@tributary/shared';
import { openFreezableProxy } from './testing/freezable-proxy.ts';
import { openWorld, type World } from './testing/open-world.ts';
import { buildApps, until } from './testing/processes.ts';
import { repeatsOf } from './testing/repeats.ts';
import type { Call } from './testing/sandbox.ts';

/** Seoul 12:02, New York 22:02: nearly an hour of figures that stand still, and all readings of the day before are over. */
const NOW = '2026-11-21T03:02:00Z';
const KILLS = 10;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Ages in days at which a day is read again; the platform restates until the 28th day after it is over. */
const RESTATED = {
  upper: [1, 2, 3, 4, 5, 6, 7, 10, 14, 21, 29],
  lower: [1, 2, 3, 7, 14, 29],
} as const;
const FAULTS = [
  'throttle',
  'error500',
  'cut',
  'malformed',
  'repeated-page',
  'html',
  'failed-run',
] as const;

const worlds: World[] = [];
const open = async (historyDays: number) => {
  const world = await openWorld({ now: NOW, historyDays });
  worlds.push(world);
  return world;
};

beforeAll(buildApps, 300_000);
afterAll(async () => {
  for (const world of worlds) await world.close();
}, 60_000);

/** Loads a world without any trouble and stops its worker. */
async function loadUndisturbed(historyDays: number) {
  const world = await open(historyDays);
  const worker = await world.startWorker();
  await world.loaded();
  expect(await worker.end('SIGTERM')).toMatchObject({ code: 0 });
  const calls = await world.sandbox.calls();
  return { world, calls, hash: await world.hash() };
}

const madeBy = async (world: World, count: number) => {
  await until(`${count} calls`, async () => (await world.sandbox.calls()).length >= count, {
    timeoutMs: 60_000,
    everyMs: 20,
  });
};

describe('a load of 31 days', () => {
  let reference: Awaited<ReturnType<typeof loadUndisturbed>>;
  beforeAll(async () => {
    reference = await loadUndisturbed(31);
  }, 150_000);

  test('makes no call twice and brings something to every collection', () => {
    expect(repeatsOf(reference.calls)).toEqual([]);
    expect(Object.entries(reference.hash.documents).filter(([, count]) => count === 0)).toEqual([]);
    expect(reference.calls.some(({ kind }) => kind === 'report-create')).toBe(true);
  });

  test('of which the worker is killed ten times ends in the same store, and repeats only what was under way', async () => {
    const world = await open(31);
    let worker = await world.startWorker();
    const kills: { n: number; made: number; left: number }[] = [];
    let born = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await madeBy(world, Math.floor((reference.calls.length * kill) / (KILLS + 1)));
      await wait((kill * 37) % 200); // into the storing and sealing that follow a call
      expect(await worker.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
      const calls = await world.sandbox.calls();
      const n = calls.at(-1)?.n ?? 0;
      const left = (await world.outstanding()).windows;
      kills.push({ n, made: calls.filter((one) => one.n > born).length, left });
      born = n;
      worker = await world.startWorker();
    }
    // Every kill met a worker that had called and was not through.
    expect(kills.every(({ made, left }) => made > 0 && left > 0)).toBe(true);
    await world.loaded();
    expect(await worker.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(await world.hash()).toEqual(reference.hash);

    const repeats = repeatsOf(await world.sandbox.calls());
    const blamed = repeats.map(({ first, again }) => ({
      first,
      kill: kills.findLast(({ n }) => first.n <= n && n < again.n),
    }));
    expect(blamed.filter(({ kill }) => kill === undefined)).toEqual([]);
    for (const kill of kills) {
      expect(blamed.filter((one) => one.kill === kill).length).toBeLessThanOrEqual(20);
    }
    // A report is asked for again only where the kill came between its making and the storing of its id.
    const reports = blamed.filter(({ first }) => first.kind === 'report-create');
    for (const { first, kill } of reports) expect((kill?.n ?? 0) - first.n).toBeLessThanOrEqual(4);
  }, 300_000);

  test('is followed a day later by the readings that are due and no others, and only what changed is written', async () => {
    const { world } = reference;
    const before = await world.statDays();
    const [last] = (await world.sandbox.calls()).slice(-1);
    await world.sandbox.advance(DAY_MS);
    const worker = await world.startWorker();
    await world.loaded();
    await worker.end('SIGTERM');
    const calls = await world.sandbox.calls(last?.n);
    const accounts = (await world.accounts()).filter(
      ({ link, account }) => link === world.social && account !== '~',
    );
    expect(accounts).toHaveLength(2);
    for (const { account, zone } of accounts) {
      const today = dayAt(await world.sandbox.now(), zone);
      const ofAccount = calls.filter((call) => call.account === account);
      for (const { id, fills } of CHANNELS.SOCIAL_ADS.sources) {
        const [fill] = fills;
        const isLower = fill?.level === 'g' || fill?.level === 'd';
        const ages = [0, ...(isLower ? RESTATED.lower : RESTATED.upper)];
        const wanted = ages.map((age) => addDays(today, -age)).sort();
        expect([id, daysAsked(ofAccount, fill)]).toEqual([id, wanted]);
      }
    }

    const after = await world.statDays();
    const restated = new Set(
      RESTATED.upper.flatMap((age) => [20, 21].map((day) => addDays(`2026-11-${day}`, 1 - age))),
    );
    const kept = [...before].filter(([key]) => after.has(key));
    const changed = kept.filter(([key, { h }]) => after.get(key)?.h !== h).map(([key]) => key);
    expect(changed.length).toBeGreaterThan(20);
    expect(changed.filter((key) => !restated.has(key.slice(-10)))).toEqual([]);
    // What says the same was not written again: it still names the run of the first load.
    const same = kept.filter(([key, { h }]) => after.get(key)?.h === h);
    expect(same.length).toBeGreaterThan(50);
    expect(same.filter(([key, { i }]) => after.get(key)?.i !== i)).toEqual([]);
  }, 120_000);
});

describe('a load of two weeks', () => {
  let reference: Awaited<ReturnType<typeof loadUndisturbed>>;
  beforeAll(async () => {
    reference = await loadUndisturbed(14);
  }, 120_000);
  const some = (share: number) => Math.floor(reference.calls.length * share);

  test('during which Redis is emptied misses nothing', async () => {
    const world = await open(14);
    const worker = await world.startWorker();
    await madeBy(world, some(0.4));
    expect(await world.busy()).toBeGreaterThan(0);
    expect(await world.emptyRedis()).toBeGreaterThan(0);
    await world.loaded();
    expect(worker.isRunning()).toBe(true);
    expect(await worker.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(await world.hash()).toEqual(reference.hash);
  }, 150_000);

  test('is handed over at SIGTERM without a stalled turn, and a second SIGTERM ends the process at once', async () => {
    const world = await open(14);
    const first = await world.startWorker();
    await madeBy(world, some(0.3));
    expect(await world.busy()).toBeGreaterThan(0);
    const ending = await first.end('SIGTERM');
    expect(ending).toMatchObject({ code: 0, signal: null });
    expect(ending.afterMs).toBeLessThan(25_000);
    expect(await world.busy()).toBe(0);
    const counts = [...(await world.queues.jobCounts()).values()];
    expect(counts.reduce((sum, { active, failed }) => sum + active + failed, 0)).toBe(0);
    expect((await world.outstanding()).windows).toBeGreaterThan(0);

    const proxy = await openFreezableProxy(world.redisUrl);
    const second = await world.startWorker({ redisUrl: proxy.url });
    await madeBy(world, some(0.6));
    proxy.freeze(); // so that it cannot be done with stopping
    second.kill('SIGTERM');
    await second.line(/"Stopping"/);
    const atOnce = await second.end('SIGTERM');
    expect(atOnce).toMatchObject({ code: 1, signal: null });
    expect(atOnce.afterMs).toBeLessThan(1_000);
    await proxy.close();

    const third = await world.startWorker();
    await world.loaded();
    await third.end('SIGTERM');
    expect(await world.hash()).toEqual(reference.hash);
  }, 150_000);

  test('goes through one fault of every kind and ends complete; an expired token waits for a person', async () => {
    const world = await open(14);
    for (const [index, fault] of FAULTS.entries()) {
      const match = { kind: fault === 'failed-run' ? 'report-create' : 'insights' };
      const after = fault === 'failed-run' ? 0 : 5 + 6 * index;
      await world.sandbox.addFault({ channel: 'SOCIAL_ADS', fault, times: 1, match, after });
    }
    const worker = await world.startWorker();
    // What failed waits for minutes of the sandbox's clock.
    for (let step = 0; step < 20 && !(await isComplete(world)); step += 1) {
      await wait(3_000);
      await world.sandbox.advance(2 * MINUTE_MS);
    }
    await world.loaded(10_000);
    expect((await world.sandbox.faults()).map(({ fault, fired }) => [fault, fired])).toEqual(
      FAULTS.map((fault) => [fault, 1]),
    );
    expect(await world.hash()).toEqual(reference.hash);

    const stored = await world.statDays();
    await world.sandbox.addFault({ channel: 'SOCIAL_ADS', fault: 'expired-token', times: 1 });
    await world.sandbox.advance(4 * HOUR_MS);
    const statusOf = async () => (await world.linkOf(world.social))?.status;
    await until('Disconnect', async () => (await statusOf()) === 'Disconnect');
    expect((await world.linkOf(world.social))?.reason).toMatchObject({ code: 'token_expired' });
    await until('the end of the turns', async () => (await world.busy()) === 0);
    expect([...(await world.statDays()).keys()]).toEqual(
      expect.arrayContaining([...stored.keys()]),
    );
    const made = (await world.sandbox.calls()).filter(
      ({ channel }) => channel === 'SOCIAL_ADS',
    ).length;
    await world.sandbox.advance(4 * HOUR_MS);
    await wait(6_000); // more than one wake
    const made2 = (await world.sandbox.calls()).filter(
      ({ channel }) => channel === 'SOCIAL_ADS',
    ).length;
    expect(made2).toBe(made);

    await world.giveCredentials();
    await until('Completed', async () => (await statusOf()) === 'Completed');
    await world.loaded();
    await worker.end('SIGTERM');
  }, 240_000);
});

async function isComplete(world: World): Promise<boolean> {
  return Object.values(await world.outstanding()).every((count) => count === 0);
}

const LEVELS = { a: 'account', c: 'campaign', g: 'adset', d: 'ad' } as const;
const BREAKDOWNS: Partial<Record<Part, string>> = {
  device: 'device_platform',
  hour: 'hourly_stats_aggregated_by_advertiser_time_zone',
};

/** The days that one source was asked for, by the platform's own account of the calls. */
function daysAsked(calls: readonly Call[], fill: Fill | undefined): string[] {
  if (!fill) return [];
  const breakdown = fill.part === 'base' ? '' : (BREAKDOWNS[fill.part] ?? fill.part);
  const days = calls
    .filter(({ kind }) => kind === 'insights' || kind === 'report-create')
    .filter((call) => call.level === LEVELS[fill.level] && call.breakdowns.join() === breakdown)
    .flatMap(({ since, until: to }) => eachDay(since ?? '', to ?? ''));
  return [...new Set(days)].sort();
}
