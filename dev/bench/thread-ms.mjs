// @ts-check
import { existsSync, readFileSync } from 'node:fs';

const file = `/proc/self/task/${process.pid}/schedstat`;
const isTold = existsSync(file);

/**
 * Milliseconds that the main thread has run: the first number of schedstat, in nanoseconds. Where there is no such file it is
 * the time of all threads, which is never less.
 */
export function threadMs() {
  if (isTold) return Number(readFileSync(file, 'utf8').split(' ', 1)[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}
