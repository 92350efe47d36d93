// @ts-check
import {
  createApiKey,
  createComment,
  createRun,
  ensureIndexes,
  saveTreeState,
  setLinkStatus,
} from '@tributary/database';
import { addDays, CHANNEL_TYPES, CHANNELS, dayAt } from '@tributary/shared';
import { seedLink } from '../../apps/api/dist/testing/seed.js';
import { CANARY } from './canaries.mjs';
import { collectDays } from './seed-days.mjs';

/**
 * @typedef {import('@tributary/database').Database} Database
 * @typedef {import('@tributary/shared').Day} Day
 * @typedef {{ key: string, readKey: string, links: string[], deletable: string[], runs: string[] }} Tenant
 * @typedef {{ own: Tenant, foreign: Tenant, days: Day[] }} Seeded
 */

const NEWEST_DAYS = 3;
/** So long ago that its figures were final when they were read. */
const OLD_DAYS = 60;
const DELETABLE = 12;
const COMMENTS = 25;
const RUN_AGE_MS = 120_000;
export const ENTITY_IDS = ['1001', '2001', '3001', '4001'];
export const COMMENT_KEY = 'spring';

/**
 * Two tenants with links of all channels, their statistics, revisions, changes, comments and runs, stored by the code that
 * the worker and the API run.
 * @param {Database} db
 * @param {number} now
 * @returns {Promise<Seeded>}
 */
export async function seedTenants(db, now) {
  await ensureIndexes(db);
  const today = dayAt(now, 'Asia/Seoul');
  const newest = Array.from({ length: NEWEST_DAYS }, (_, index) =>
    addDays(today, index - NEWEST_DAYS),
  );
  const days = [addDays(today, -OLD_DAYS), ...newest];
  const own = await seedTenant(db, { tenant: 'own', word: 'Spring', days, now });
  const foreign = await seedTenant(db, { tenant: 'foreign', word: CANARY, days, now });
  return { own, foreign, days };
}

/**
 * @param {Database} db
 * @param {{ tenant: string, word: string, days: Day[], now: number }} options
 * @returns {Promise<Tenant>}
 */
async function seedTenant(db, { tenant, word, days, now }) {
  const title = 'fuzz';
  const all = /** @type {const} */ (['read', 'write', 'refresh']);
  const { key } = await createApiKey(db, { tenant, scopes: all, title, now });
  const { key: readKey } = await createApiKey(db, { tenant, scopes: ['read'], title, now });
  /** @type {import('@tributary/database').AuthorizedLink[]} */
  const links = [];
  for (const type of CHANNEL_TYPES) {
    const seed = await seedLink(db, {
      type,
      account: ENTITY_IDS[0] ?? '',
      now,
      historyDays: OLD_DAYS,
      tenant,
      tag: `tag of ${word}`,
      entities: CHANNELS[type].kind === 'ads' ? treeOf(word) : [],
    });
    const { link } = seed;
    await setLinkStatus(db, link._id, { status: 'Completed', reason: null, gen: link.gen });
    await saveTreeState(db, seed.account, { tree: { fetchedAt: now } });
    await collectDays(db, { account: seed.account, tenant, type, word, days, now });
    links.push(link);
  }
  /** @type {string[]} */
  const deletable = [];
  for (let count = 0; count < DELETABLE; count += 1) {
    const options = { account: '9', now, historyDays: 1, tenant, tag: 'shoes' };
    deletable.push((await seedLink(db, { type: 'PORTAL1_DA', ...options })).link._id);
  }
  for (let idx = 1; idx <= COMMENTS; idx += 1) {
    const text = {
      key: COMMENT_KEY,
      title: `${word} ${idx}`,
      contents: `${word} \u{1f600} <b>=1+1</b>`,
    };
    await createComment(db, tenant, { ...text, now });
  }
  const runs = await seedRuns(db, tenant, links, now);
  return { key, readKey, links: links.map(({ _id }) => _id), deletable, runs };
}

/**
 * @param {string} word
 * @returns {import('@tributary/shared').Entity[]}
 */
function treeOf(word) {
  const [account = '', campaign = '', adGroup = '', ad = ''] = ENTITY_IDS;
  const status = /** @type {const} */ ('active');
  return [
    { level: 'a', id: account, parent: '', title: `${word} account`, status },
    { level: 'c', id: campaign, parent: account, title: `${word} campaign`, status },
    { level: 'g', id: adGroup, parent: campaign, title: `${word} group`, status },
    { level: 'd', id: ad, parent: adGroup, title: `${word} ad`, status },
  ];
}

/**
 * @param {Database} db
 * @param {string} tenant
 * @param {readonly import('@tributary/database').AuthorizedLink[]} links
 * @param {number} now
 */
async function seedRuns(db, tenant, links, now) {
  /** @type {string[]} */
  const runs = [];
  for (const link of links) {
    // Long enough ago that something else may be asked.
    const answer = await createRun(db, tenant, { links: [link], now: now - RUN_AGE_MS });
    if (answer.state === 'asked') runs.push(answer.run._id);
  }
  return runs;
}
