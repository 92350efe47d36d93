// @ts-check
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LockedError, takeLock, withLock } from './lock.mjs';

/** @type {string} */
let folder;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a held lock is refused, naming the holder, and free after the release', async () => {
  const path = join(folder, 'a.lock');
  const lock = await takeLock(path);
  await expect(takeLock(path)).rejects.toThrow(LockedError);
  await expect(takeLock(path)).rejects.toThrow(`process ${process.pid}`);
  await lock.release();
  await (await takeLock(path)).release();
  expect(await readdir(folder)).toEqual([]);
});

test('the lock of a dead process is taken over', async () => {
  const path = join(folder, 'a.lock');
  // Our own pid with another birth: the number was given to a new process.
  await writeFile(path, JSON.stringify({ pid: process.pid, born: '1', host: hostname() }));
  await (await takeLock(path)).release();
  expect(await readdir(folder)).toEqual([]);
});

test('the lock of another machine is respected while it is fresh', async () => {
  const path = join(folder, 'a.lock');
  await writeFile(path, JSON.stringify({ pid: 1, born: '1', host: 'elsewhere' }));
  await expect(takeLock(path)).rejects.toThrow('elsewhere');
});

test('work under one lock never overlaps', async () => {
  const path = join(folder, 'a.lock');
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setTimeout(resolve, 20));
    inside -= 1;
  };
  const options = { timeoutMs: 10_000, onWait: () => {} };
  await Promise.all([
    withLock(path, options, work),
    withLock(path, options, work),
    withLock(path, options, work),
  ]);
  expect(most).toBe(1);
});

test('waiting for a lock ends after its time', async () => {
  const path = join(folder, 'a.lock');
  const lock = await takeLock(path);
  const work = jest.fn();
  await expect(withLock(path, { timeoutMs: 0, onWait: () => {} }, work)).rejects.toThrow(
    LockedError,
  );
  expect(work).not.toHaveBeenCalled();
  await lock.release();
});
