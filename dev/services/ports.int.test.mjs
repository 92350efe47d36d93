// @ts-check
import { createServer } from 'node:net';
import { freePort, isPortFree, waitForPort } from './ports.mjs';

test('a port is free until somebody listens on it, and again afterwards', async () => {
  const port = await freePort();
  expect(await isPortFree(port)).toBe(true);
  const server = createServer();
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  try {
    expect(await isPortFree(port)).toBe(false);
    await waitForPort(port, { timeoutMs: 1_000 });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
  expect(await isPortFree(port)).toBe(true);
});

test('waiting for a port that nobody opens ends with an error naming it', async () => {
  const port = await freePort();
  await expect(waitForPort(port, { timeoutMs: 100 })).rejects.toThrow(`port ${port}`);
});
