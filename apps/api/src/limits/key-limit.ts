import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnCounts } from '@tributary/database';
import type { Allowance } from './allowance.ts';

const WINDOW_MS = 60_000;
/** How often processes tell each other. */
const EXCHANGE_MS = 1_000;
/** The part of the limit that a process may admit before the others know of it. */
const UNTOLD_PART = 10;
const EXCHANGE_WITHIN_MS = 1_000;
/** After an exchange that failed nobody waits for one for so long: the own count decides. */
const ALONE_MS = 1_000;
/** Every exchange makes room for a tenth of the limit, so a request that waits is decided far earlier. */
const WAITS_MAX = 4 * UNTOLD_PART;

interface Count {
  /** Admitted here. */
  own: number;
  /** Of those, what the others can know. */
  told: number;
  /** Admitted by the others, as far as known. */
  others: number;
  exchange?: Promise<void> | undefined;
}

interface Window {
  start: number;
  counts: Map<string, Count>;
}

export interface KeyLimit {
  /** Counts a request of an API key, if the limit allows it. */
  take(key: string): Promise<Allowance>;
  /** Tells the others what was counted last, and ends. */
  close(): Promise<void>;
}

interface KeyLimitOptions {
  /** 0 sets no limit. */
  perMinute: number;
  /** Tells one's own counts and learns those of all other processes. */
  exchange: (own: Omit<OwnCounts, 'instance'>) => Promise<ReadonlyMap<string, number>>;
  now?: () => number;
  monotonic?: () => number;
  /** Ends after so many milliseconds. */
  pause?: (ms: number) => Promise<unknown>;
}

/**
 * Counts the requests of each key in windows of a minute, together with the other processes. See docs/decisions/0020 for how
 * exact that is.
 */
export function createKeyLimit({
  perMinute,
  exchange,
  now = Date.now,
  monotonic = () => performance.now(),
  pause = (ms) => sleep(ms, undefined, { ref: false }),
}: KeyLimitOptions): KeyLimit {
  const untoldMax = Math.max(1, Math.ceil(perMinute / UNTOLD_PART));
  let window: Window = { start: 0, counts: new Map() };
  let aloneUntil = 0;
  let isTelling = false;

  function currentWindow(): Window {
    const start = Math.floor(now() / WINDOW_MS) * WINDOW_MS;
    if (start !== window.start) window = { start, counts: new Map() };
    return window;
  }

  function countOf(key: string): Count {
    const { counts } = currentWindow();
    const count = counts.get(key) ?? { own: 0, told: 0, others: 0 };
    counts.set(key, count);
    return count;
  }

  async function tell(keys: readonly string[]): Promise<void> {
    const { start, counts } = currentWindow();
    const own = new Map(keys.map((key) => [key, counts.get(key)?.own ?? 0]));
    try {
      const others = await exchange({
        windowStart: start,
        windowEnd: start + WINDOW_MS,
        counts: own,
      });
      for (const [key, told] of own) {
        const count = counts.get(key);
        if (!count) continue;
        count.told = Math.max(count.told, told);
        count.others = Math.max(count.others, others.get(key) ?? 0);
      }
      aloneUntil = 0;
    } catch {
      // The driver has logged the outage; what was not told is told next time.
      aloneUntil = monotonic() + ALONE_MS;
    }
  }

  async function tellSoon(key: string, count: Count): Promise<void> {
    count.exchange ??= tell([key]).finally(() => {
      count.exchange = undefined;
    });
    const late = pause(EXCHANGE_WITHIN_MS).then(() => 'late' as const);
    if ((await Promise.race([count.exchange, late])) === 'late') {
      aloneUntil = monotonic() + ALONE_MS;
    }
  }

  async function tellAll(): Promise<void> {
    const untold = [...currentWindow().counts].filter(([, { own, told }]) => own > told);
    if (isTelling || untold.length === 0) return;
    isTelling = true;
    await tell(untold.map(([key]) => key));
    isTelling = false;
  }

  const isSpent = ({ own, others }: Count) => own + others >= perMinute;
  const timer = setInterval(() => void tellAll(), EXCHANGE_MS).unref();

  return {
    async take(key) {
      let count = countOf(key);
      for (let waits = 0; waits < WAITS_MAX; waits += 1) {
        const isTold = count.own - count.told < untoldMax;
        if (isTold || isSpent(count) || monotonic() < aloneUntil) break;
        await tellSoon(key, count);
        count = countOf(key); // another window may have begun
      }
      const isAllowed = !isSpent(count);
      if (isAllowed) count.own += 1;
      return {
        isAllowed,
        policy: 'key',
        limit: perMinute,
        remaining: Math.max(0, perMinute - count.own - count.others),
        resetSeconds: Math.max(1, Math.ceil((window.start + WINDOW_MS - now()) / 1000)),
      };
    },
    async close() {
      clearInterval(timer);
      await tellAll();
    },
  };
}
