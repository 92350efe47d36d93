import type { Fetch } from './exchange.ts';
import { wait } from './wait.ts';

export interface ClientOptions {
  /** Where the API is, with its base path: `https://tributary.example.com/v1`. */
  baseUrl: string;
  /** Absent where the API wants none. */
  apiKey?: string | undefined;
  /** Default: the runtime's own. */
  fetch?: Fetch | undefined;
  /** Time for one request and its whole answer; 30 s. */
  timeoutMs?: number | undefined;
  /** How often a request that may be repeated is sent again; 2. */
  retries?: number | undefined;
  /** A `Retry-After` beyond this is not waited for: the error is thrown at once; 60 s. */
  retryAfterMaxMs?: number | undefined;
  /** Epoch milliseconds. */
  now?: (() => number) | undefined;
  /** Waits; aborts with the signal's reason. */
  delay?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** From 0 to 1: spreads repetitions. */
  random?: (() => number) | undefined;
}

export interface Settings {
  baseUrl: string;
  apiKey: string | undefined;
  fetch: Fetch;
  timeoutMs: number;
  retries: number;
  retryAfterMaxMs: number;
  now: () => number;
  delay: (ms: number, signal?: AbortSignal) => Promise<void>;
  random: () => number;
}

/** What a timer holds; beyond it, it would go off at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;
const RETRIES_MAX = 10;

/** @throws TypeError naming the option that is not valid; the key is never quoted */
export function readOptions(options: ClientOptions): Settings {
  const { apiKey } = options;
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('Invalid apiKey, expected visible ASCII characters');
  }
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    apiKey,
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMs: readMs('timeoutMs', options.timeoutMs ?? 30_000),
    retries: readNumber('retries', options.retries ?? 2, [0, RETRIES_MAX]),
    retryAfterMaxMs: readNumber('retryAfterMaxMs', options.retryAfterMaxMs ?? 60_000, [
      0,
      TIMER_MAX_MS,
    ]),
    now: options.now ?? Date.now,
    delay: options.delay ?? wait,
    random: options.random ?? Math.random,
  };
}

function readBaseUrl(text: string): string {
  const expected = `Invalid baseUrl '${text}', expected an http or https address without user name, query and fragment`;
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new TypeError(expected, { cause });
  }
  const isBare = url.username + url.password + url.search + url.hash === '';
  if (!isBare || !/^https?:$/.test(url.protocol)) throw new TypeError(expected);
  return url.href.replace(/\/+$/, '');
}

/** @throws TypeError for one that no timer takes */
export function readMs(name: string, value: number): number {
  return readNumber(name, value, [1, TIMER_MAX_MS]);
}

function readNumber(name: string, value: number, [min, max]: [number, number]): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TypeError(`Invalid ${name} ${value}, expected a whole number from ${min} to ${max}`);
}
