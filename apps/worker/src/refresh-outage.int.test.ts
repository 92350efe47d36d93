import { setTimeout as wait } from 'node:timers/promises';
import { createRun, findLink, type RefreshRun, readRunProgress } from '@tributary/database';
import { openFreezableProxy } from './testing/freezable-proxy.ts';
import { openWorld, type World } from './testing/open-world.ts';
import { buildApps, until } from './testing/processes.ts';

const RANGE = { from: '2026-11-19', to: '2026-11-20' };

let world: World;
beforeAll(buildApps, 300_000);
beforeEach(async () => {
  world = await openWorld({ now: '2026-11-21T03:02:00Z', historyDays: 3 });
}, 60_000);
afterEach(() => world.close(), 60_000);

async function ask(id: string): Promise<RefreshRun> {
  const link = await findLink(world.db, 't1', id);
  if (!link) throw new Error('The link is gone');
  const now = await world.sandbox.now();
  const answer = await createRun(world.db, 't1', { links: [link], range: RANGE, now });
  if (answer.state !== 'asked') throw new Error(`Not asked: ${answer.state}`);
  return answer.run;
}

test('what is asked for while Redis is away is read within a minute after it is back, although it lost everything', async () => {
  const proxy = await openFreezableProxy(world.redisUrl);
  const worker = await world.startWorker({ redisUrl: proxy.url });
  try {
    await world.loaded();
    await until('the end of the turns', async () => (await world.busy()) === 0);
    const called = (await world.sandbox.calls()).at(-1)?.n;
    await proxy.shut();
    const run = await ask(world.social);
    const progress = async () => await readRunProgress(world.db, run, await world.sandbox.now());
    await wait(8_000); // longer than any wait of the queue's connections
    expect(await progress()).toMatchObject({ done: 0, percent: 0, isUntouched: true });
    expect(await world.sandbox.calls(called)).toEqual([]);

    expect(await world.emptyRedis()).toBeGreaterThan(0);
    await proxy.reopen();
    await until('the run at 100 %', async () => (await progress()).percent === 100, {
      timeoutMs: 60_000,
    });
    const { planned, done, failed, nextAt } = await progress();
    expect([done, failed, nextAt]).toEqual([planned, 0, undefined]);
    expect(planned).toBeGreaterThan(0);
    expect((await world.sandbox.calls(called)).length).toBeGreaterThan(0);
    expect(worker.isRunning()).toBe(true);
  } finally {
    await worker.end('SIGTERM');
    await proxy.close();
  }
}, 180_000);
