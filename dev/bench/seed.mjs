// @ts-check
import {
  accountKey,
  createCollection,
  createLink,
  ensureIndexes,
  findAccount,
  saveAccounts,
  sealDays,
  setLinkStatus,
  upsertEntities,
} from '@tributary/database';
import { addDays, dayAt, eachDay, eachMonth, monthOf } from '@tributary/shared';
import { campaignDay, createRandom } from './figures.mjs';

/**
 * @typedef {import('@tributary/database').Database} Database
 * @typedef {import('@tributary/shared').Day} Day
 * @typedef {{ link: string, account: string, campaigns: string[], from: Day, to: Day }} Seeded
 */

const channel = 'SOCIAL_ADS';
const tenant = 'default'; // the only tenant while AUTH=off
const platformAccount = '1001';
const parts = /** @type {const} */ ([
  'age',
  'gender',
  'country',
  'region',
  'device',
  'hour',
  'base',
]);

/**
 * A link, its account and campaigns, and their days, all stored by the code that a worker's turn runs: rows are collected,
 * committed and sealed.
 * @param {Database} db
 * @param {{ campaigns: number, days: number, now: number, size?: import('./figures.mjs').Size }} options
 * @returns {Promise<Seeded>}
 */
export async function seedCampaigns(db, { campaigns: count, days, now, size = 'M' }) {
  await ensureIndexes(db);
  const link = await createLink(db, {
    tenant,
    type: channel,
    title: 'bench',
    tag: '',
    settings: {},
    now,
  });
  const reason = null;
  await setLinkStatus(db, link._id, { status: 'Completed', reason, gen: link.gen });
  /** @type {import('@tributary/shared').ChannelAccount} */
  const listed = {
    id: platformAccount,
    title: 'bench',
    zone: 'Asia/Seoul',
    currency: 'KRW',
    status: 'active',
  };
  await saveAccounts(db, link, [listed], { now, historyDays: days });
  const account = accountKey(link._id, platformAccount);
  const campaigns = Array.from({ length: count }, (_, index) => `campaign-${index + 1}`);
  const entities = campaigns.map((id) => {
    const level = /** @type {const} */ ('c');
    const status = /** @type {const} */ ('active');
    return { level, id, parent: platformAccount, title: id, status };
  });
  await upsertEntities(db, { tenant, link: link._id, account, entities, now });
  const to = addDays(dayAt(now, listed.zone), -1);
  const from = addDays(to, 1 - days);
  const random = createRandom(20_260_101);
  let run = 0;
  for (const month of eachMonth(from, to)) {
    const ofMonth = eachDay(from, to).filter((day) => monthOf(day) === month);
    run += 1;
    await collectMonth(db, { account, campaigns, days: ofMonth, run, now, random, size });
  }
  return { link: link._id, account, campaigns, from, to };
}

/**
 * One turn: every source of the campaigns over the days of a month, then the sealing.
 * @param {Database} db
 * @param {{ account: string, campaigns: string[], days: Day[], run: number, now: number, random: () => number, size: import('./figures.mjs').Size }} turn
 */
async function collectMonth(db, { account, campaigns, days, run, now, random, size }) {
  const rows = days.map((day) => ({
    day,
    campaigns: campaigns.map((id) => campaignDay(id, random, size)),
  }));
  const [from = '', to = ''] = [days[0], days.at(-1)];
  let seq = 0;
  const nextSeq = () => {
    seq += 1;
    return seq;
  };
  for (const part of parts) {
    const source = /** @type {const} */ (`c-${part}`);
    const target = { account, tenant, source, from, to, run, fetchedAt: now, nextSeq };
    const collection = createCollection(db, target);
    await collection.add(
      rows.map(({ day, campaigns: found }) => ({
        day,
        set: source,
        rows: found.flatMap((one) => one[part]),
      })),
    );
    await collection.commit();
  }
  const found = await findAccount(db, account);
  if (!found) throw new Error(`No account ${account}`);
  await sealDays(db, { account: found, now }, days);
}
