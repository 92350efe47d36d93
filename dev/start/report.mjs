// @ts-check
import { requestJson, withQuery } from './request-json.mjs';

/** @typedef {import('./demo-links.mjs').Link} Link */
/** @typedef {import('./first-load.mjs').Range} Range */

const levels = /** @type {const} */ ([
  { level: 'adAccount', path: '/data/adAccount' },
  { level: 'campaign', path: '/data/campaign' },
  { level: 'adGroup', path: '/data/adGroup' },
  { level: 'ad', path: '/data/ads' },
]);

/**
 * Queries that work when they are pasted, with ids that exist.
 * @param {{ api: string, links: readonly Link[], range: Range, signal: AbortSignal }} options
 * @returns {Promise<string[]>} addresses
 */
export async function exampleQueries({ api, links, range, signal }) {
  const week = { ...range, start: weekBefore(range.end) };
  const queries = [`${api}/link`];
  for (const { id, type } of links) {
    if (type === 'PORTAL1_BLOG') {
      queries.push(withQuery(`${api}/data/blog-portal1`, { id, ...week }));
      continue;
    }
    for (const { level, path } of levels) {
      const value = await firstEntity(api, id, level, signal);
      if (value !== undefined) queries.push(withQuery(`${api}${path}`, { id, ...week, value }));
    }
  }
  return queries;
}

/**
 * @param {string} api
 * @param {string} id of the link
 * @param {string} level
 * @param {AbortSignal} signal
 * @returns {Promise<string | undefined>} the id of an active entity if there is one
 */
async function firstEntity(api, id, level, signal) {
  /** @type {{ id: string, status: string }[]} */
  const entities = await requestJson(withQuery(`${api}/link/entities`, { id, level }), { signal });
  return (entities.find(({ status }) => status === 'active') ?? entities[0])?.id;
}

/** @param {string} end */
function weekBefore(end) {
  return new Date(Date.parse(end) - 6 * 86_400_000).toISOString().slice(0, 10);
}

/**
 * The last words of a start.
 * @param {{ addresses: import('./apps.mjs').Addresses, queries: readonly string[], dataDir: string }} options
 * @returns {string}
 */
export function readyMessage({ addresses, queries, dataDir }) {
  const { api, adminApi, adminWorker, sandbox } = addresses;
  return [
    '',
    `API          ${api}`,
    `API admin    ${adminApi}   (/livez, /readyz, /metrics)`,
    `Worker admin ${adminWorker}   (the same, and /queues)`,
    `Sandbox      ${sandbox}`,
    `Logs         ${dataDir}/logs`,
    '',
    ...queries.map((url) => `curl -s '${url}'`),
    '',
    'Ctrl-C stops everything; the data stays for the next start. `npm start -- --fresh` begins anew.',
  ].join('\n');
}
