// @ts-check
import { decimal, micros, SUMS, storedText, truthText } from './figures.mjs';
import { get, getOk, truthOf } from './sources.mjs';

/** @typedef {import('./sources.mjs').Run} Run */
/** @typedef {import('./sources.mjs').Link} Link */
/** @typedef {import('./sources.mjs').Range} Range */
/** @typedef {import('./sources.mjs').TruthDay} TruthDay */
/** @typedef {import('./tally.mjs').Tally} Tally */
/** @typedef {{ run: Run, link: Link, range: Range, tally: Tally, seen: import('./lists-seen.mjs').ListsSeen }} Check */

const LEVELS = /** @type {const} */ ([
  { level: 'account', path: 'adAccount' },
  { level: 'campaign', path: 'campaign' },
  { level: 'adGroup', path: 'adGroup' },
]);
const DAY_MS = 86_400_000;
/** The one channel with a price per click of its own. */
const WITH_PPC = 'PORTAL2_KEYWORD';
const NO_ACCOUNT_LEVEL = 'PORTAL1_SEARCH_AD';
/** Its credentials name one of the accounts that they reach. */
const ONE_ACCOUNT = 'PORTAL1_SEARCH_AD';

/**
 * Every account, campaign, ad group and ad of a link over the range.
 * @param {Check} check
 */
export async function checkAds(check) {
  const { run, link } = check;
  const { body } = await getOk(`${run.sandbox}/__sandbox/tree`, { channel: link.type });
  for (const account of body.accounts.filter((/** @type {any} */ one) => isRead(link, one))) {
    const range = await wantedRange(check, account.id);
    const ofAccount = { ...check, range };
    for (const place of LEVELS) {
      if (place.level === 'account' && link.type === NO_ACCOUNT_LEVEL)
        await expectNoLevel(ofAccount, account.id);
      else await checkLevel(ofAccount, account, place);
    }
    await checkAdTotals(ofAccount, account);
  }
}

/**
 * The part of the range that the account wants at all: a link may want a shorter history.
 * @param {Check} check
 * @param {string} account
 * @returns {Promise<Range>}
 */
async function wantedRange({ run, link, range }, account) {
  const { body } = await getOk(`${run.api}/link/coverage`, { id: link.id, ...range });
  const found = body.accounts.find((/** @type {any} */ { id }) => id === account);
  const start = found?.days[0]?.date;
  if (start === undefined) throw new Error(`${link.type} wants no day of account ${account}`);
  return { start, end: range.end };
}

/** @param {Link} link @param {any} account */
function isRead({ type, child = [] }, { id, isClosed }) {
  return !isClosed && (type !== ONE_ACCOUNT || child.some((one) => one.id === id));
}

/** @param {Check} check @param {string} value */
async function expectNoLevel({ run, link, range, tally }, value) {
  const { body } = await get(`${run.api}/data/adAccount`, { id: link.id, value, ...range });
  tally.add([{ place: `adAccount ${value}`, stored: body.code, truth: 'not_yet_available' }]);
}

/**
 * @param {Check} check
 * @param {any} account
 * @param {{ level: string, path: string }} place
 */
async function checkLevel({ run, link, range, tally, seen }, account, { level, path }) {
  const question = { channel: link.type, account: account.id, level };
  const truth = await truthOf(run, { ...question, ...range });
  const withPpc = link.type === WITH_PPC;
  for (const id of idsOf(account, level)) {
    const asked = { id: link.id, value: id };
    const answer = await getStatistics(`${run.api}/data/${path}`, { ...asked, ...range });
    for (const stored of answer?.data[link.type] ?? []) {
      const key = `${id} ${stored.date}`;
      const place = `${link.type} ${path} ${key}`;
      seen.note(link.type, path, stored);
      let compared = compareDay(place, stored, truth.get(key), withPpc);
      if (compared.some(differs)) {
        // The platform may have moved on since the day was read: then the day as it was read must be right.
        const day = { start: stored.date, end: stored.date };
        const { headers } = await getOk(`${run.api}/data/${path}`, { ...asked, ...day });
        const at = String(Date.parse(headers.get('data-as-of') ?? ''));
        const then = await truthOf(run, { ...question, ...day, id, at });
        const again = compareDay(place, stored, then.get(key), withPpc);
        if (!again.some(differs)) {
          compared = again;
          tally.movedOn();
        }
      }
      tally.add(compared);
      truth.delete(key);
    }
  }
  for (const key of truth.keys()) {
    const place = `${link.type} ${path} ${key}`;
    tally.add([{ place, stored: 'absent', truth: 'a day with delivery' }]);
  }
}

/**
 * @param {string} address
 * @param {Record<string, string>} asked
 * @returns {Promise<any>} undefined for what the platform had removed before it was linked: then it has no figures either
 */
async function getStatistics(address, asked) {
  const answer = await get(address, asked);
  if (answer.status === 404 && answer.body.code === 'entity_not_found') return undefined;
  return (await getOk(address, asked)).body;
}

/** @param {{ stored: string, truth: string }} compared */
function differs({ stored, truth }) {
  return stored !== truth;
}

/**
 * @param {string} place
 * @param {any} stored one breakdown object of an answer
 * @param {TruthDay | undefined} truth undefined = a day without delivery
 * @param {boolean} withPpc
 */
function compareDay(place, stored, truth, withPpc) {
  // Without delivery the truth tells nothing: which metrics are null is taken from the answer itself.
  const total = truth
    ? truthText(truth.total, withPpc)
    : storedText(stored.total).replace(/[\d.]+/g, '0');
  const compared = [{ place: `${place} total`, stored: storedText(stored.total), truth: total }];
  for (const list of Object.keys(stored).slice(2)) {
    const wanted = new Map(
      (truth?.lists[list] ?? []).map((entry) => [entry.value, truthText(entry, withPpc)]),
    );
    const rest = truth?.unattributed[list];
    if (rest) wanted.set('unattributed', truthText(rest, withPpc));
    /** @type {Map<string, string>} */
    const given = new Map(
      stored[list].map((/** @type {any} */ entry) => [entry[list], storedText(entry.data)]),
    );
    for (const value of new Set([...wanted.keys(), ...given.keys()])) {
      compared.push({
        place: `${place} ${list}=${value}`,
        stored: given.get(value) ?? 'absent',
        truth: wanted.get(value) ?? 'absent',
      });
    }
  }
  return compared;
}

/**
 * Every ad over the whole range must be the sum of its days; reach over several days is not known.
 * @param {Check} check
 * @param {any} account
 */
async function checkAdTotals({ run, link, range, tally }, account) {
  const question = { channel: link.type, account: account.id, level: 'ad' };
  const days = [...(await truthOf(run, { ...question, ...range })).values()];
  const withPpc = link.type === WITH_PPC;
  for (const id of idsOf(account, 'ad')) {
    const own = days.filter(({ entity }) => entity === id);
    const place = `${link.type} ads ${id}`;
    const answer = await getStatistics(`${run.api}/data/ads`, { id: link.id, value: id, ...range });
    if (!answer && own.length === 0) continue;
    const stored = answer ? storedText(answer.data) : 'absent';
    const truth = own.length > 0 ? sumText(own, range, withPpc) : stored.replace(/[\d.]+/g, '0');
    if (stored === truth || !(await wasRight({ run, link, range, question, id, withPpc }))) {
      tally.add([{ place, stored, truth }]);
    } else {
      tally.add([]);
      tally.movedOn();
    }
  }
}

/**
 * @param {TruthDay[]} days
 * @param {Range} range
 * @param {boolean} withPpc
 */
function sumText(days, { start, end }, withPpc) {
  const sums = Object.fromEntries(
    SUMS.map((metric) => [metric, sumOf(days.map(({ total }) => total[metric]))]),
  );
  const reach = start === end ? (days[0]?.total.reach ?? null) : null;
  return truthText({ ...sums, reach }, withPpc);
}

/**
 * Whether each day of an ad is what was true when it was read: the platform may have moved on since.
 * @param {{ run: Run, link: Link, range: Range, question: Record<string, string>, id: string, withPpc: boolean }} check
 */
async function wasRight({ run, link, range, question, id, withPpc }) {
  for (let ms = Date.parse(range.start); ms <= Date.parse(range.end); ms += DAY_MS) {
    const date = new Date(ms).toISOString().slice(0, 10);
    const day = { start: date, end: date };
    const { body, headers } = await getOk(`${run.api}/data/ads`, {
      id: link.id,
      value: id,
      ...day,
    });
    const at = String(Date.parse(headers.get('data-as-of') ?? ''));
    const then = (await truthOf(run, { ...question, ...day, id, at })).get(`${id} ${date}`);
    const stored = storedText(body.data);
    const truth = then ? truthText(then.total, withPpc) : stored.replace(/[\d.]+/g, '0');
    if (stored !== truth) return false;
  }
  return true;
}

/** @param {(string | number | null | undefined)[]} values */
function sumOf(values) {
  /** @type {bigint | null} */
  let sum = null;
  for (const value of values) {
    if (value !== null && value !== undefined) sum = (sum ?? 0n) + micros(value);
  }
  return sum === null ? null : decimal(sum);
}

/** @param {any} account @param {string} level @returns {string[]} */
function idsOf(account, level) {
  if (level === 'account') return [account.id];
  const groups = account.campaigns.flatMap((/** @type {any} */ { adGroups }) => adGroups);
  const nodes =
    level === 'campaign'
      ? account.campaigns
      : level === 'adGroup'
        ? groups
        : groups.flatMap((/** @type {any} */ { ads }) => ads);
  return nodes.map((/** @type {any} */ { id }) => id);
}
