import { RetryableError } from '@tributary/runtime';

/** One timer for the whole call, tied to the caller's signal and taken off it again. */
export function createDeadline(
  outer: AbortSignal,
  timeoutMs: number,
  place: string,
): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const follow = () => controller.abort(outer.reason);
  outer.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => {
    const message = `No complete answer of ${place} within ${timeoutMs} ms`;
    controller.abort(new RetryableError('timeout', message));
  }, timeoutMs);
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      outer.removeEventListener('abort', follow);
    },
  };
}
