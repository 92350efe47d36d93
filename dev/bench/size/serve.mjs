// @ts-check
import { gunzipSync } from 'node:zlib';
import { addDays, dayAt } from '@tributary/shared';
import { withServer } from '../comparison.mjs';
import { askOnce, load } from '../load.mjs';
import { startApi } from '../servers.mjs';
import { entityAt } from './account.mjs';
import { accountId } from './connector.mjs';

/** @typedef {{ level: string, encoding: string, bytes: number, requests: number, delayMs: number, workMs: number, peakMib: number }} Served */

const days = 30;
const rounds = 24;

/**
 * Reads the last 30 whole days of the account, a campaign and an ad group with all their lists, by 8 clients at once, while
 * the event loop of the API is watched. A range that is too long for one answer is asked for piece by piece, as the answer
 * says.
 * @param {string} uri
 * @param {{ link: string, keys: string, size: import('./account.mjs').Size }} seeded
 * @returns {AsyncGenerator<Served>}
 */
export async function* serveAccount(uri, { link, keys, size }) {
  const to = addDays(dayAt(Date.now(), 'Asia/Seoul'), -1);
  const from = addDays(to, 1 - days);
  const places = [
    { level: 'adAccount', value: accountId },
    { level: 'campaign', value: entityAt('c', 1, size).id },
    { level: 'adGroup', value: entityAt('g', 1, size).id },
  ];
  for (const { level, value } of places) {
    for (const encoding of ['gzip', 'identity']) {
      yield await withServer(startApi(uri, { CREDENTIALS_KEYS: keys }), async (server) => {
        const headers = { 'Accept-Encoding': encoding };
        const path = `/data/${level}?id=${link}&value=${value}`;
        const paths = await fittingPaths(server.port, path, { from, to });
        // Code that was never run is compiled once in the life of a process.
        const day = { port: server.port, path: `${path}&start=${to}&end=${to}`, headers };
        await load(() => day, 40);
        const stop = await server.watch();
        const requests = rounds * paths.length;
        const { bytes } = await load(
          (index) => ({ ...day, path: paths[index % paths.length] ?? '' }),
          requests,
        );
        const { delayMs, workMs } = await stop();
        const peakMib = await server.peakMib();
        return { level, encoding, bytes, requests, delayMs, workMs, peakMib };
      });
    }
  }
}

/**
 * The range in as few requests as the API allows; the packed and the plain answer are compared on the way.
 * @param {number} port
 * @param {string} path
 * @param {{ from: string, to: string }} range
 */
async function fittingPaths(port, path, { from, to }) {
  const paths = [];
  let start = from;
  let end = to;
  while (start <= to) {
    const asked = `${path}&start=${start}&end=${end}`;
    const answer = await askOnce({
      port,
      path: asked,
      headers: { 'Accept-Encoding': 'gzip' },
    }).catch((error) => error);
    if (answer instanceof Error) {
      const tooLarge = await askOnce({ port, path: asked, status: 400 });
      const last = /last end that fits is (\d{4}-\d\d-\d\d)/.exec(tooLarge.body.toString())?.[1];
      if (!last) throw answer;
      end = last;
      continue;
    }
    const plain = await askOnce({ port, path: asked, headers: { 'Accept-Encoding': 'identity' } });
    if (!gunzipSync(answer.body).equals(plain.body))
      throw new Error(`The two bodies of ${asked} differ`);
    paths.push(asked);
    start = addDays(end, 1);
    end = to;
  }
  return paths;
}
