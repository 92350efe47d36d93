// @ts-check
/**
 * Loaded into a server process beside its own code (`node --import`): finds the longest time for which the event loop did
 * not come round. On a shared machine much of such a gap may be spent waiting for a core, so the processor time that the
 * thread itself used in it is told as well. Idle until it is asked: the watching costs time of its own.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { threadMs } from './thread-ms.mjs';

const everyMs = 1;

function watch() {
  const longest = { gapMs: 0, workMs: 0 };
  const delay = monitorEventLoopDelay({ resolution: everyMs });
  delay.enable();
  let last = { at: performance.now(), work: threadMs() };
  const timer = setInterval(() => {
    const now = { at: performance.now(), work: threadMs() };
    longest.gapMs = Math.max(longest.gapMs, now.at - last.at);
    longest.workMs = Math.max(longest.workMs, now.work - last.work);
    last = now;
  }, everyMs);
  return () => {
    clearInterval(timer);
    delay.disable();
    return { ...longest, delayMs: delay.max / 1e6 };
  };
}

/** @type {(() => import('./server-process.mjs').Pauses) | undefined} */
let stop;
process.on('message', (message) => {
  const pauses = stop?.();
  stop = message === 'watch' ? watch() : undefined;
  process.send?.({ pauses });
});
process.channel?.unref();
