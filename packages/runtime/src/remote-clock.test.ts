import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from './logger.ts';
import { createReleasers } from './releasers.ts';
import { createRemoteClock, type RemoteClockOptions } from './remote-clock.ts';

const releasers = createReleasers();
afterEach(() => releasers.releaseAll());

/** A local server whose answer the test changes; `status` 0 = it never answers. */
async function openSource(initial: { now: number; frozen?: boolean }) {
  const state = { body: initial as unknown, status: 200, reads: 0 };
  const server = createServer((_req, res) => {
    state.reads += 1;
    if (state.status !== 0) res.writeHead(state.status).end(JSON.stringify(state.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  releasers.add('source', () => {
    server.closeAllConnections();
    server.close();
  });
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/clock` };
}

async function open(url: string, options: Partial<RemoteClockOptions> = {}) {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const clock = await createRemoteClock({
    url,
    nodeEnv: 'test',
    logger,
    pollMs: 20,
    timeoutMs: 200,
    ...options,
  });
  releasers.add('clock', () => clock.close());
  return clock;
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (condition()) return;
    await sleep(10);
  }
  throw new Error('it did not happen within 2 s');
}

describe('createRemoteClock', () => {
  it('starts at the remote time and goes on with real time between polls', async () => {
    const { url } = await openSource({ now: 1_000_000 });
    const clock = await open(url, { pollMs: 60_000 });
    const first = clock.now();
    expect(first).toBeGreaterThanOrEqual(1_000_000);
    expect(first).toBeLessThan(1_005_000);
    await sleep(60);
    expect(clock.now() - first).toBeGreaterThanOrEqual(40);
  });

  it('stands still while frozen and follows a jump', async () => {
    const { url, state } = await openSource({ now: 5000, frozen: true });
    const clock = await open(url);
    await sleep(50);
    expect(clock.now()).toBe(5000);
    state.body = { now: 90_000_000, frozen: true };
    await until(() => clock.now() === 90_000_000);
  });

  it('never goes backwards', async () => {
    const { url, state } = await openSource({ now: 5000, frozen: true });
    const clock = await open(url);
    expect(clock.now()).toBe(5000);
    state.body = { now: 1000, frozen: true };
    const { reads } = state;
    await until(() => state.reads > reads + 2);
    expect(clock.now()).toBe(5000);
  });

  it('keeps its time through failing, malformed and silent answers, and recovers', async () => {
    const { url, state } = await openSource({ now: 5000, frozen: true });
    const clock = await open(url, { timeoutMs: 50 });
    for (const [status, body] of [
      [500, {}],
      [200, { now: '7000' }],
      [200, { now: -1 }],
      [0, {}],
    ] as const) {
      Object.assign(state, { status, body });
      const { reads } = state;
      await until(() => state.reads > reads + 1);
      expect(clock.now()).toBe(5000);
    }
    Object.assign(state, { status: 200, body: { now: 6000, frozen: true } });
    await until(() => clock.now() === 6000);
  });

  it('fails to start when no time comes', async () => {
    const { url, state } = await openSource({ now: 1 });
    state.status = 503;
    await expect(open(url, { firstReadWithinMs: 250 })).rejects.toThrow(
      'CLOCK_URL gave no time within 250 ms',
    );
    expect(state.reads).toBeGreaterThan(1);
  });

  it('is refused in production', async () => {
    const { url, state } = await openSource({ now: 1 });
    await expect(open(url, { nodeEnv: 'production' })).rejects.toThrow('NODE_ENV=production');
    expect(state.reads).toBe(0);
  });
});
