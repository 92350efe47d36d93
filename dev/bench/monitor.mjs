// @ts-check
/**
 * Loaded into a server process beside its own code (`node --import`): finds the longest time for which the event loop did
 * not come round, and the most of its own work in it. Idle until it is asked: the watching costs time of its own.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { watchLoop } from './loop-watch.mjs';

const everyMs = 1;

function watch() {
  const delay = monitorEventLoopDelay({ resolution: everyMs });
  delay.enable();
  const loop = watchLoop(everyMs);
  return () => {
    loop.stop();
    delay.disable();
    return { ...loop.take(), delayMs: delay.max / 1e6 };
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
