import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

const AnswerSchema = z.object({
  now: z.number().int().min(0).max(8.64e15),
  frozen: z.boolean().optional(),
});

export interface RemoteClockOptions {
  /** CLOCK_URL: answers `{ now: epoch ms, frozen?: boolean }`. */
  url: string;
  /** NODE_ENV; `production` is refused. */
  nodeEnv: string | undefined;
  logger: Logger;
  fetch?: typeof globalThis.fetch;
  pollMs?: number;
  timeoutMs?: number;
  firstReadWithinMs?: number;
}

export interface RemoteClock extends Clock {
  close(): Promise<void>;
}

/**
 * A clock that follows another process's, for simulated days. It goes on with real time between two polls (stands
 * still while the answer says frozen), keeps going when a poll fails, and never steps back.
 *
 * @throws Error in production, or when the first answer does not come in time
 */
export async function createRemoteClock(options: RemoteClockOptions): Promise<RemoteClock> {
  const { url, logger, pollMs = 1000, timeoutMs = 1000, firstReadWithinMs = 5000 } = options;
  if (options.nodeEnv === 'production') {
    throw new Error('CLOCK_URL is set: a simulated clock is refused with NODE_ENV=production');
  }
  const stop = new AbortController();
  const read = async (signal: AbortSignal) => {
    const answer = await (options.fetch ?? globalThis.fetch)(url, { signal });
    if (!answer.ok) throw new Error(`The clock answered ${answer.status}`);
    const { now, frozen = false } = AnswerSchema.parse(await answer.json());
    return { now, frozen, readAt: performance.now() };
  };

  let last = await firstRead(read, firstReadWithinMs, timeoutMs);
  let highest = last.now;
  let failing = false;
  const poll = async () => {
    while (!stop.signal.aborted) {
      await sleep(pollMs, undefined, { signal: stop.signal, ref: false });
      // Not AbortSignal.timeout: Node 20 forgets one that only AbortSignal.any refers to.
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), timeoutMs).unref();
      try {
        last = await read(AbortSignal.any([stop.signal, late.signal]));
        failing = false;
      } catch (err) {
        if (!failing && !stop.signal.aborted) logger.warn({ err }, 'The clock does not answer');
        failing = true;
      } finally {
        clearTimeout(timer);
      }
    }
  };
  const polling = poll().catch(() => undefined); // Only the sleep throws, when it is told to stop.
  return {
    now() {
      const passed = last.frozen ? 0 : Math.floor(performance.now() - last.readAt);
      highest = Math.max(highest, last.now + passed);
      return highest;
    },
    async close() {
      stop.abort();
      await polling;
    },
  };
}

async function firstRead<T>(
  read: (signal: AbortSignal) => Promise<T>,
  withinMs: number,
  timeoutMs: number,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      const leftMs = Math.max(1, deadline - performance.now());
      return await read(AbortSignal.timeout(Math.ceil(Math.min(timeoutMs, leftMs))));
    } catch (cause) {
      if (performance.now() + 100 >= deadline) {
        throw new Error(`CLOCK_URL gave no time within ${withinMs} ms`, { cause });
      }
      await sleep(100);
    }
  }
}
