// @ts-check
import { readFile } from 'node:fs/promises';
import { peakMib as peakOf } from '../server-process.mjs';

const everyMs = 200;

/**
 * Samples the resident memory of a process until it is stopped. The kernel's own highest mark (VmHWM) misses nothing
 * between two samples.
 * @param {number} pid
 */
export function watchMemory(pid) {
  let mib = 0;
  let peakMib = 0;
  const timer = setInterval(() => {
    void readFile(`/proc/${pid}/status`, 'utf8').then(
      (status) => {
        mib = Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
        peakMib = peakOf(status);
      },
      () => clearInterval(timer), // the process is gone
    );
  }, everyMs);
  return { now: () => mib, peak: () => peakMib, stop: () => clearInterval(timer) };
}
