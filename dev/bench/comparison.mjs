// @ts-check
import { addDays } from '@tributary/shared';
import { askOnce, load } from './load.mjs';
import { startApi, startFloor, startNaive } from './servers.mjs';

/**
 * @typedef {import('./seed.mjs').Seeded} Seeded
 * @typedef {import('./load.mjs').Target} Target
 * @typedef {import('./server-process.mjs').ServerProcess} ServerProcess
 * @typedef {{ warm: number, counted: number }} Counts requests before and while it is measured
 * @typedef {Record<string, number>} Round microseconds of processor time per request, by what was asked of whom
 */

/** Campaigns that the comparison asks for; their inflated days fit into our cache. */
export const warmCampaigns = 4;
const days = 90;

/** @type {Record<'range' | 'naive' | 'unchanged' | 'small', Counts>} */
const counts = {
  range: { warm: 100, counted: 300 },
  naive: { warm: 30, counted: 40 },
  unchanged: { warm: 400, counted: 1_500 },
  small: { warm: 2_000, counted: 8_000 },
};

/** A server that has just started still runs slow code; one in use was optimised long ago. */
const firstRequests = 1_200;

const gzip = { 'Accept-Encoding': 'gzip' };

/** @param {Seeded} seeded */
export function rangePaths({ link, campaigns, to }) {
  const range = `start=${addDays(to, 1 - days)}&end=${to}`;
  return {
    ours: campaigns.map((value) => `/data/campaign?id=${link}&value=${value}&${range}`),
    others: campaigns.slice(0, warmCampaigns).map((value) => `/data?value=${value}&${range}`),
  };
}

/**
 * @param {ServerProcess} server
 * @param {Counts} counts
 * @param {(index: number) => Target} targetOf
 */
async function cost(server, { warm, counted }, targetOf) {
  await load(targetOf, warm);
  const before = await server.cpuMs();
  await load(targetOf, counted);
  return (((await server.cpuMs()) - before) * 1000) / counted;
}

/**
 * @template {ServerProcess} Server
 * @template Result
 * @param {Promise<Server>} starting
 * @param {(server: Server) => Promise<Result>} use
 */
export async function withServer(starting, use) {
  const server = await starting;
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/**
 * Our API, then the naive program, then the floor: one after the other, so that none disturbs another.
 * @param {string} uri
 * @param {Seeded} seeded
 * @returns {Promise<Round>}
 */
export async function runRound(uri, seeded) {
  const paths = rangePaths(seeded);
  /** @type {Round} */
  const round = {};
  await withServer(startApi(uri), async (server) => {
    const { port, adminPort } = server;
    /** @type {(many: number, headers?: Record<string, string>) => (index: number) => Target} */
    const ask = (many, headers) => (index) => ({
      port,
      path: paths.ours[index % many] ?? '',
      ...(headers && { headers }),
    });
    await load((index) => ask(warmCampaigns, index % 2 ? gzip : undefined)(index), firstRequests);
    const known = await askOnce(ask(1, gzip)(0));
    const unchanged = { ...gzip, 'If-None-Match': known.headers.etag ?? '' };
    round['ours gzip'] = await cost(server, counts.range, ask(warmCampaigns, gzip));
    round['ours plain'] = await cost(server, counts.range, ask(warmCampaigns));
    round['ours plain, cold'] = await cost(server, counts.range, ask(paths.ours.length));
    round['ours 304'] = await cost(server, counts.unchanged, (index) => ({
      ...ask(1, unchanged)(index),
      status: 304,
    }));
    round['ours 404'] = await cost(server, counts.small, () => ({
      port,
      path: '/nothing',
      status: 404,
    }));
    round['ours /livez'] = await cost(server, counts.small, () => ({
      port: adminPort,
      path: '/livez',
    }));
  });
  for (const packed of [false, true]) {
    await withServer(startNaive(uri, { packed }), async (server) => {
      round[packed ? 'naive gzip' : 'naive plain'] = await cost(server, counts.naive, (index) => ({
        port: server.port,
        path: paths.others[index % warmCampaigns] ?? '',
        headers: packed ? gzip : {},
      }));
    });
  }
  await withServer(startFloor(uri), async (server) => {
    const { port } = server;
    /** @type {(packed: boolean) => (index: number) => Target} */
    const ask = (packed) => (index) => ({
      port,
      path: paths.others[index % warmCampaigns] ?? '',
      headers: packed ? gzip : {},
    });
    await load((index) => ask(index % 2 === 1)(index), firstRequests);
    round['floor gzip'] = await cost(server, counts.range, ask(true));
    round['floor plain'] = await cost(server, counts.range, ask(false));
    round['floor hello'] = await cost(server, counts.small, () => ({ port, path: '/' }));
  });
  return round;
}
