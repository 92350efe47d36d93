// @ts-check
import { createCollection, findAccount, sealDays } from '@tributary/database';
import { CHANNELS, monthOf, STORED_METRICS } from '@tributary/shared';

/**
 * @typedef {import('@tributary/database').Database} Database
 * @typedef {import('@tributary/shared').Day} Day
 * @typedef {import('@tributary/shared').ObservationRow} ObservationRow
 * @typedef {import('@tributary/shared').Source} Source
 *
 * @typedef {object} Collecting
 * @property {string} account `<link>.<account>`
 * @property {string} tenant
 * @property {import('@tributary/shared').ChannelType} type
 * @property {string} word stands in texts
 * @property {readonly Day[]} days
 * @property {number} now
 */

/** Those below the account that rows belong to. */
export const [CAMPAIGN, AD_GROUP, AD] = ['2001', '3001', '4001'];
const FIGURES = [1200, 30, 2_000_000, 61_500_000, 14_250_000, 1260, 900];

/**
 * Every source of a channel, twice with other figures, so that days that were final have revisions; then the sealing.
 * @param {Database} db
 * @param {Collecting} collecting
 */
export async function collectDays(db, collecting) {
  const { account, type, days, now } = collecting;
  const months = new Set(days.map(monthOf));
  let run = 0;
  for (const factor of [1, 2]) {
    for (const month of months) {
      run += 1;
      const ofMonth = days.filter((day) => monthOf(day) === month);
      for (const source of CHANNELS[type].sources) {
        await collectSource(db, collecting, { source, run, factor, days: ofMonth });
      }
    }
  }
  const found = await findAccount(db, account);
  if (!found) throw new Error(`No account ${account}`);
  await sealDays(db, { account: found, now }, [...days]);
}

/**
 * @param {Database} db
 * @param {Collecting} collecting
 * @param {{ source: Source, run: number, factor: number, days: readonly Day[] }} reading
 */
async function collectSource(
  db,
  { account, tenant, type, word, now },
  { source, run, factor, days },
) {
  let seq = 0;
  const nextSeq = () => {
    seq += 1;
    return seq;
  };
  const [from = '', to = ''] = [days[0], days.at(-1)];
  const target = { account, tenant, source: source.id, from, to, run, fetchedAt: now, nextSeq };
  const collection = createCollection(db, target);
  const set = CHANNELS[type].kind === 'blog' ? 'blog' : source.fills[0]?.from;
  const rows = set === 'blog' ? [blogDay(word, factor)] : [rowOf(source, word, factor)];
  if (set) await collection.add(days.map((day) => ({ day, set, rows })));
  await collection.commit();
}

/**
 * @param {Source} source
 * @param {string} word
 * @param {number} factor
 * @returns {ObservationRow}
 */
function rowOf({ fills: [fill] }, word, factor) {
  const level = fill?.from[0] ?? 'a';
  const figures = STORED_METRICS.map((metric, index) =>
    fill?.metrics.includes(metric) ? (FIGURES[index] ?? 0) * factor : null,
  );
  return /** @type {ObservationRow} */ ([
    level === 'a' ? '' : CAMPAIGN,
    level === 'g' || level === 'd' ? AD_GROUP : '',
    level === 'd' ? AD : '',
    fill?.part === 'base' ? '' : fill?.part === 'hour' ? '09' : word,
    ...figures,
  ]);
}

/**
 * @param {string} word
 * @param {number} factor
 * @returns {import('@tributary/shared').BlogDay}
 */
function blogDay(word, factor) {
  return {
    pageViews: 100 * factor,
    visitors: 40,
    visits: 60,
    averageDurationSeconds: 30.5,
    referrers: [{ id: 's', title: word, count: 70, detail: [{ title: word, count: 70 }] }],
    posts: [{ id: 'p1', title: word, views: 90, type: 'post', writtenOn: '2026-10-01' }],
    neighbours: { mutual: 5, oneWay: 3, other: 52 },
  };
}
