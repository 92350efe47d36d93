// @ts-check
/**
 * Compares every stored figure of the running instance with the sandbox's truth: each ad account, campaign, ad group and
 * ad, each day, total and every list entry, and the blog's days. Ends with 1 when anything differs.
 *
 *   npm run truth -- [--start YYYY-MM-DD] [--end YYYY-MM-DD]
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const RUN_FILE = '.tributary/run.json';
const SHOWN_MAX = 20;
const TIMEOUT_MS = 60_000;
const DAY_MS = 86_400_000;

const LEVELS = /** @type {const} */ ([
  { level: 'account', path: 'adAccount' },
  { level: 'campaign', path: 'campaign' },
  { level: 'adGroup', path: 'adGroup' },
]);
const METRICS = ['impressions', 'clicks', 'conversions', 'amount', 'spend', 'reach'];

/**
 * @param {string} address
 * @param {Record<string, string>} [parameters]
 * @returns {Promise<any>}
 */
async function getJson(address, parameters = {}) {
  const url = new URL(address);
  url.search = new URLSearchParams(parameters).toString();
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url.href}: ${response.status} ${await response.text()}`);
  return await response.json();
}

/** @param {string | number | null | undefined} value a JSON number as sent, a decimal string of the truth, or null */
function text(value) {
  return value === null || value === undefined ? 'null' : String(value);
}

/** @param {Record<string, any>} figures */
function figuresText(figures) {
  return METRICS.map((metric) => text(figures[metric])).join(' ');
}

const zero = { impressions: 0, clicks: 0, conversions: 0, amount: 0, spend: 0, reach: 0 };

function createTally() {
  let cells = 0;
  let entries = 0;
  /** @type {string[]} */
  const differences = [];
  return {
    /** @param {string} place @param {string} stored @param {string} truth */
    compare(place, stored, truth) {
      entries += 1;
      if (stored !== truth) differences.push(`${place}: stored [${stored}], truth [${truth}]`);
    },
    cell() {
      cells += 1;
    },
    result: () => ({ cells, entries, differences }),
  };
}

/**
 * @param {ReturnType<typeof createTally>} tally
 * @param {string} place
 * @param {{ total: Record<string, unknown> } & Record<string, any>} stored
 * @param {{ total: Record<string, unknown>, lists: Record<string, any[]>, unattributed: Record<string, any> } | undefined} truth
 * @param {string[]} lists
 */
function compareDay(tally, place, stored, truth, lists) {
  tally.cell();
  tally.compare(`${place} total`, figuresText(stored.total), figuresText(truth?.total ?? zero));
  for (const list of lists) {
    const wanted = new Map(
      (truth?.lists[list] ?? []).map((entry) => [entry.value, figuresText(entry)]),
    );
    const rest = truth?.unattributed[list];
    if (rest) wanted.set('unattributed', figuresText(rest));
    const given = new Map(
      stored[list].map((/** @type {any} */ entry) => [entry[list], figuresText(entry.data)]),
    );
    for (const value of new Set([...wanted.keys(), ...given.keys()])) {
      tally.compare(
        `${place} ${list}=${value}`,
        given.get(value) ?? 'absent',
        wanted.get(value) ?? 'absent',
      );
    }
  }
}

/** @param {any} run @param {any} link @param {{ start: string, end: string }} range @param {ReturnType<typeof createTally>} tally */
async function checkAds(run, link, range, tally) {
  const { accounts } = await getJson(`${run.sandbox}/__sandbox/tree`, { channel: link.type });
  for (const account of accounts) {
    for (const { level, path } of LEVELS) {
      const query = {
        channel: link.type,
        account: account.id,
        level,
        ...range,
      };
      const truth = await getJson(`${run.sandbox}/__sandbox/truth`, query);
      const byKey = new Map(
        truth.days.map((/** @type {any} */ day) => [`${day.entity} ${day.date}`, day]),
      );
      for (const id of idsOf(account, level)) {
        const asked = { id: link.id, value: id, ...range };
        const answer = await getJson(`${run.api}/data/${path}`, asked);
        const days = Array.isArray(answer) ? [] : answer.data[link.type];
        for (const stored of days) {
          const key = `${id} ${stored.date}`;
          compareDay(tally, `${path} ${key}`, stored, byKey.get(key), Object.keys(stored).slice(2));
          byKey.delete(key);
        }
      }
      for (const key of byKey.keys())
        tally.compare(`${path} ${key}`, 'absent', 'a day with delivery');
    }
    await checkAdTotals(run, link, { account, range, tally });
  }
}

/** Every ad over the whole range must be the sum of its days; reach over several days is not known. */
async function checkAdTotals(
  /** @type {any} */ run,
  /** @type {any} */ link,
  /** @type {any} */ { account, range, tally },
) {
  const query = {
    channel: link.type,
    account: account.id,
    level: 'ad',
    ...range,
  };
  const truth = await getJson(`${run.sandbox}/__sandbox/truth`, query);
  for (const id of idsOf(account, 'ad')) {
    const days = truth.days.filter((/** @type {any} */ day) => day.entity === id);
    const sum = (/** @type {string} */ metric) =>
      days.reduce(
        (/** @type {bigint} */ total, /** @type {any} */ day) => total + micros(day.total[metric]),
        0n,
      );
    const wanted = METRICS.slice(0, -1)
      .map((metric) => decimal(sum(metric)))
      .join(' ');
    const asked = { id: link.id, value: id, ...range };
    const { data } = await getJson(`${run.api}/data/ads`, asked);
    tally.cell();
    tally.compare(
      `ads ${id}`,
      figuresText(data),
      `${wanted} ${range.start === range.end ? text(days[0]?.total.reach ?? 0) : 'null'}`,
    );
  }
}

/** @param {string} value */
function micros(value) {
  const [whole = '0', fraction = ''] = String(value).split('.');
  return BigInt(whole + fraction.padEnd(6, '0').slice(0, 6));
}

/** @param {bigint} value */
function decimal(value) {
  const fraction = String(value % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${value / 1_000_000n}${fraction && `.${fraction}`}`;
}

/** @param {any} account @param {string} level @returns {string[]} */
function idsOf(account, level) {
  if (level === 'account') return [account.id];
  const groups = account.campaigns.flatMap((/** @type {any} */ campaign) => campaign.adGroups);
  const nodes =
    level === 'campaign'
      ? account.campaigns
      : level === 'adGroup'
        ? groups
        : groups.flatMap((/** @type {any} */ group) => group.ads);
  return nodes.map((/** @type {any} */ node) => node.id);
}

/** Single days of the blog against the feed's figures. */
async function checkBlog(
  /** @type {any} */ run,
  /** @type {any} */ link,
  /** @type {any} */ range,
  /** @type {any} */ tally,
) {
  const query = { channel: link.type, ...range };
  const { days } = await getJson(`${run.sandbox}/__sandbox/truth`, query);
  for (const day of days) {
    const asked = { id: link.id, start: day.date, end: day.date };
    const { data } = await getJson(`${run.api}/data/blog-portal1`, asked);
    tally.cell();
    const given = [
      data.visit_pv_cnt,
      data.uv_cnt,
      data.visit_cnt,
      data.relation_dist.both_way_neighborhood,
      data.relation_dist.one_way_neighborhood,
      data.relation_dist.other,
    ];
    const { mutual, oneWay, other } = day.neighbours;
    tally.compare(
      `blog ${day.date}`,
      given.join(' '),
      [day.pageViews, day.visitors, day.visits, mutual, oneWay, other].join(' '),
    );
  }
}

async function main() {
  const today = new Date();
  const { values } = parseArgs({
    options: {
      start: {
        type: 'string',
        default: new Date(today.getTime() - 89 * DAY_MS).toISOString().slice(0, 10),
      },
      end: {
        type: 'string',
        default: new Date(today.getTime() - DAY_MS).toISOString().slice(0, 10),
      },
      run: { type: 'string', default: RUN_FILE },
    },
  });
  const run = JSON.parse(await readFile(values.run, 'utf8'));
  const range = { start: values.start, end: values.end };
  const tally = createTally();
  for (const link of run.links) {
    if (link.type === 'PORTAL1_BLOG') await checkBlog(run, link, range, tally);
    else await checkAds(run, link, range, tally);
  }
  const { cells, entries, differences } = tally.result();
  for (const difference of differences.slice(0, SHOWN_MAX)) console.log(difference);
  console.log(
    `${cells} cells with ${entries} figures compared, ${differences.length} differ (${range.start}..${range.end})`,
  );
  if (cells === 0 || differences.length > 0) process.exitCode = 1;
}

await main();
