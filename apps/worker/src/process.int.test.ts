import { setTimeout as wait } from 'node:timers/promises';
import { openWorld, type World } from './testing/open-world.ts';
import { buildApps, type Program, until } from './testing/processes.ts';
import { repeatsOf } from './testing/repeats.ts';
import type { Call } from './testing/sandbox.ts';

/** Seoul 12:02, New York 22:02: nearly an hour of figures that stand still, and all readings of the day before are over. */
const NOW = '2026-11-21T03:02:00Z';
const KILLS = 10;

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
    console.log(kills, repeats.length, reports.length);
  }, 300_000);
});
