// @ts-check
import { join } from 'node:path';
import { startServer } from '../bench/server-process.mjs';

const PAUSE_MS = 250;
/** Clocks of processes and of threads differ by a little. */
const FOUND_MS = 200;

/** @type {import('../bench/server-process.mjs').ServerProcess} */
let server;

beforeAll(async () => {
  const [preload, program] = [
    join(__dirname, 'inside.mjs'),
    join(__dirname, 'blocking-server.mjs'),
  ];
  server = await startServer(['--import', preload, program, String(PAUSE_MS)], { env: {} });
});
afterAll(() => server?.stop());

/** @param {string} path @returns {Promise<import('./inside.mjs').Inside>} */
async function lookAfter(path) {
  await server.ask('look');
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
  expect(await answer.text()).toBe(path);
  return await server.ask('look');
}

test('a handler that works for 250 ms is told as own work, and only once', async () => {
  expect((await lookAfter('/work')).workMs).toBeGreaterThanOrEqual(FOUND_MS);
  expect((await server.ask('look')).workMs).toBeLessThan(FOUND_MS);
});

test('a handler that holds up the event loop and does nothing is told as a gap without work', async () => {
  const { gapMs, workMs } = await lookAfter('/sleep');
  expect(gapMs).toBeGreaterThanOrEqual(FOUND_MS);
  expect(workMs).toBeLessThan(FOUND_MS);
});

test('work of the very round in which it is asked is told', async () => {
  expect((await server.ask('work')).workMs).toBeGreaterThanOrEqual(FOUND_MS);
});
