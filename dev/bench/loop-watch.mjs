// @ts-check
import { threadMs } from './thread-ms.mjs';

/**
 * Looks how long the event loop of this process does not come round. On a shared machine much of such a gap may be spent
 * waiting for a core, so the processor time that the thread itself used in it is told as well.
 * @param {number} everyMs
 */
export function watchLoop(everyMs) {
  let longest = { gapMs: 0, workMs: 0 };
  let last = { at: performance.now(), work: threadMs() };
  const look = () => {
    const now = { at: performance.now(), work: threadMs() };
    longest.gapMs = Math.max(longest.gapMs, now.at - last.at);
    longest.workMs = Math.max(longest.workMs, now.work - last.work);
    last = now;
  };
  const timer = setInterval(look, everyMs).unref();
  return {
    /** The longest since it was asked last, with what came since the last round. */
    take() {
      look();
      const taken = longest;
      longest = { gapMs: 0, workMs: 0 };
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
