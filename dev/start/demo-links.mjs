// @ts-check
import { requestJson } from './request-json.mjs';

/** @typedef {{ id: string, type: string, title: string, status: string, child?: { id: string, child?: { id: string }[] }[] }} Link */

/**
 * The records of the demonstration: one line for each channel that is built.
 * @param {string} sandbox its address
 */
const demoLinks = (sandbox) => [
  {
    type: 'SOCIAL_ADS',
    title: 'Social demo',
    credentials: { accessToken: 'sandbox-social-token' },
  },
  {
    type: 'PORTAL2_KEYWORD',
    title: 'Keyword demo',
    credentials: { businessToken: 'sandbox-keyword-business-token' },
  },
  {
    type: 'SEARCH_ENGINE_ADS',
    title: 'Search engine demo',
    credentials: {
      clientId: '100000000002-sandbox.apps.example',
      clientSecret: 'sandbox-search-secret',
      refreshToken: 'sandbox-search-refresh-token',
      loginCustomerId: '900-000-0001',
    },
    settings: { historyDays: 90 },
  },
  {
    type: 'PORTAL2_DISPLAY',
    title: 'Display demo',
    credentials: { businessToken: 'sandbox-portal2-display-token' },
    // The platform takes a report every five seconds: two weeks are some four minutes.
    settings: { historyDays: 14 },
  },
  {
    type: 'PORTAL1_DA',
    title: 'Portal display demo',
    credentials: {
      clientId: 'sandbox-da-client',
      clientSecret: 'sandbox-da-secret',
      refreshToken: 'sandbox-da-refresh',
      feedToken: 'sandbox-feed-token',
    },
    settings: { feedUrl: `${sandbox}/feed` },
  },
  {
    type: 'PORTAL1_SEARCH_AD',
    title: 'Portal search demo',
    credentials: {
      customerId: '1713808',
      apiKey: 'sandbox-search-ad-key',
      secretKey: 'sandbox-search-ad-secret',
    },
    settings: { historyDays: 60 },
  },
  {
    type: 'PORTAL1_BLOG',
    title: 'Blog demo',
    credentials: { feedToken: 'sandbox-feed-token' },
    settings: { feedUrl: `${sandbox}/feed`, timezone: 'Asia/Seoul' },
  },
];

/**
 * Links the demonstration's records unless the database has links already, so that a second start links nothing.
 * @param {{ api: string, sandbox: string, log: (line: string) => void, signal: AbortSignal }} options
 * @returns {Promise<Link[]>} all links
 */
export async function ensureLinks({ api, sandbox, log, signal }) {
  /** @type {Link[]} */
  const present = await requestJson(`${api}/link`, { signal });
  if (present.length > 0) {
    log(`Links: ${present.map(({ title }) => title).join(', ')} (already there)`);
    return present;
  }
  for (const record of demoLinks(sandbox)) {
    await requestJson(`${api}/link`, { method: 'POST', body: { ...record, tag: 'demo' }, signal });
    log(`Linked: ${record.title} (${record.type})`);
  }
  return requestJson(`${api}/link`, { signal });
}
