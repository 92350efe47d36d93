// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { requestJson, withQuery } from './request-json.mjs';

/** @typedef {import('./demo-links.mjs').Link} Link */
/** @typedef {{ start: string, end: string }} Range whole days, both included */
/** @typedef {{ title: string, status: string, wanted: number, collected: number }} Progress */

const dayMs = 86_400_000;
const loadedDays = 90;
const pollMs = 1_000;
const timeoutMs = 15 * 60_000;
const failuresMax = 5;

/**
 * The newest 90 days on the sandbox's clock, which the worker follows.
 * @param {string} sandbox
 * @param {AbortSignal} signal
 * @returns {Promise<Range>}
 */
export async function newestDays(sandbox, signal) {
  const { now } = await requestJson(`${sandbox}/__sandbox/clock`, { signal });
  return rangeEndingAt(Number(now), loadedDays);
}

/**
 * @param {number} nowMs
 * @param {number} days
 * @returns {Range} the last of them the UTC day before: it has begun in every time zone, and the demonstration waits for no later one
 */
export function rangeEndingAt(nowMs, days) {
  return { start: isoDay(nowMs - days * dayMs), end: isoDay(nowMs - dayMs) };
}

/** @param {number} ms */
function isoDay(ms) {
  return new Date(ms).toISOString().slice(0, 10);
}

/**
 * How far one link is.
 * @param {string} api
 * @param {Link} link as GET /link has just shown it
 * @param {Range} range
 * @param {AbortSignal} signal
 * @returns {Promise<Progress>}
 */
async function readProgress(api, link, { start, end }, signal) {
  const url = withQuery(`${api}/link/coverage`, { id: link.id, start, end });
  const { days } = await requestJson(url, { signal });
  return { title: link.title, status: link.status, wanted: days.wanted, collected: days.collected };
}

/**
 * Whether there is nothing left to wait for. A link whose entities are not known yet wants no day, which is not the end; one that is
 * disconnected needs a person.
 * @param {Progress} progress
 */
export function isSettled({ status, wanted, collected }) {
  return status === 'Disconnect' || (status === 'Completed' && wanted > 0 && collected >= wanted);
}

/**
 * Shows how far the links are until their newest 90 days are loaded, or for 15 minutes: loading goes on after that all the same.
 * @param {{ api: string, sandbox: string, log: (line: string) => void, signal: AbortSignal }} options
 * @returns {Promise<{ links: Link[], range: Range }>}
 */
export async function waitForFirstLoad({ api, sandbox, log, signal }) {
  const range = await newestDays(sandbox, signal);
  const begin = Date.now();
  let shown = '';
  let failures = 0;
  for (;;) {
    const seconds = Math.round((Date.now() - begin) / 1000);
    try {
      /** @type {Link[]} */
      const links = await requestJson(`${api}/link`, { signal });
      const all = await Promise.all(links.map((link) => readProgress(api, link, range, signal)));
      failures = 0;
      const text = all.map(describe).join(' · ');
      if (text !== shown) log(`${text} (${seconds} s)`);
      shown = text;
      if (all.every(isSettled)) return { links, range };
      if (Date.now() - begin > timeoutMs) {
        log(`Not all days are loaded after ${timeoutMs / 60_000} minutes; the worker goes on.`);
        return { links, range };
      }
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      // One slow answer of a busy machine is no reason to end everything.
      if (failures > failuresMax) throw error;
    }
    await delay(pollMs, undefined, { signal });
  }
}

/** @param {Progress} progress */
function describe({ title, status, wanted, collected }) {
  return `${title}: ${status}, ${collected} of ${wanted} days`;
}
