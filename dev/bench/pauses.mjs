// @ts-check

import { withServer } from './comparison.mjs';
import { load } from './load.mjs';
import { startApi } from './servers.mjs';

/** @typedef {{ gapMs: number, workMs: number }} Pauses */

const requests = 48;

/**
 * How long our event loop is held up while 8 clients read the longest range, from the first request of a new process on.
 * The process is warmed by one day of the same campaign: code that was never run is compiled once in its life.
 * @param {string} uri
 * @param {import('./seed.mjs').Seeded} seeded
 * @returns {Promise<{ plain: Pauses, gzip: Pauses }>}
 */
export function longestPauses(uri, { link, campaigns: [campaign], from, to }) {
  return withServer(startApi(uri), async (server) => {
    const path = `/data/campaign?id=${link}&value=${campaign}&end=${to}&start=`;
    /** @param {Record<string, string>} headers */
    const measure = async (headers) => {
      const target = { port: server.port, headers };
      await load(() => ({ ...target, path: path + to }), 500);
      const stop = await server.watch();
      await load(() => ({ ...target, path: path + from }), requests);
      return await stop();
    };
    return { gzip: await measure({ 'Accept-Encoding': 'gzip' }), plain: await measure({}) };
  });
}
