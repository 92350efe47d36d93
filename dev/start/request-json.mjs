// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../services/ping.mjs';

const answerTimeoutMs = 15_000;

/**
 * @param {string} base an address without a query
 * @param {Record<string, string>} query
 * @returns {string}
 */
export function withQuery(base, query) {
  return `${base}?${new URLSearchParams(query).toString()}`;
}

/**
 * One request of JSON. Throws with the method, the address and the answer unless that is a 2xx.
 * @param {string} url
 * @param {{ method?: string, body?: unknown, signal?: AbortSignal | undefined }} [options]
 * @returns {Promise<any>} whatever was sent: this script trusts our own API
 */
export async function requestJson(url, { method = 'GET', body, signal } = {}) {
  const response = await fetch(url, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    signal: within(answerTimeoutMs, signal),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${method} ${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/**
 * Not AbortSignal.timeout: Node 20 forgets one that only AbortSignal.any refers to.
 * @param {number} ms
 * @param {AbortSignal | undefined} signal
 */
function within(ms, signal) {
  const late = new AbortController();
  setTimeout(() => late.abort(new Error(`No answer within ${ms} ms`)), ms).unref();
  return signal ? AbortSignal.any([signal, late.signal]) : late.signal;
}

/**
 * Waits until the address answers with a 2xx.
 * @param {string} url
 * @param {{ timeoutMs: number, signal: AbortSignal }} options
 */
export async function waitForAnswer(url, { timeoutMs, signal }) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let reason;
    try {
      const response = await fetch(url, {
        signal: within(2_000, signal),
      });
      await response.arrayBuffer();
      if (response.ok) return;
      reason = `status ${response.status}`;
    } catch (error) {
      signal.throwIfAborted();
      reason = messageOf(error instanceof Error && error.cause ? error.cause : error);
    }
    if (Date.now() > deadline)
      throw new Error(`${url} is not well after ${timeoutMs / 1000} s (${reason})`);
    await delay(100, undefined, { signal });
  }
}
