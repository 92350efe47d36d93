// @ts-check
import { SECRET } from './canaries.mjs';
import { COMMENT_KEY, ENTITY_IDS } from './seed.mjs';

/**
 * What the store knows, by the names of parameters and fields; and some values whose rules the document cannot tell. A name
 * that is not here gets what fits its schema.
 * @typedef {import('./values.mjs').Pools} Pools
 */

const CREDENTIALS = [
  { accessToken: SECRET },
  { businessToken: SECRET },
  { clientId: SECRET, clientSecret: SECRET, refreshToken: SECRET },
  { customerId: '123', apiKey: SECRET, secretKey: SECRET },
  { feedToken: SECRET },
];

/**
 * @param {import('./seed.mjs').Seeded} seeded
 * @returns {{ own: Pools, foreign: Pools, deletable: Pools }} deletable: in place of those of the same name where something is deleted
 */
export function createPools({ own, foreign, days }) {
  const [day = ''] = days.slice(-1);
  const common = {
    value: ENTITY_IDS,
    parent: ENTITY_IDS,
    day: days,
    start: days,
    end: days,
    key: [COMMENT_KEY],
    idx: Array.from({ length: 20 }, (_, index) => String(index + 1)),
    limit: ['1', '2', '10', '500'],
    tag: ['tag of Spring', 'shoes', ''],
    timezone: ['UTC', 'Asia/Seoul', 'America/New_York'],
    currency: ['EUR', 'KRW'],
    feedUrl: ['https://feed.example.com/days'],
    credentials: CREDENTIALS,
    'Idempotency-Key': Array.from({ length: 40 }, (_, index) => `once-${index}`),
    upload: [
      [],
      [adRow(day)],
      { rows: [adRow(day), adRow(day)] },
      { days: [blogRow(day)] },
      [blogRow(day)],
    ],
  };
  return {
    own: { ...common, id: own.links, run: own.runs },
    foreign: { ...common, id: foreign.links, run: foreign.runs },
    deletable: { id: own.deletable },
  };
}

/** @param {string} date */
function adRow(date) {
  const figures = { impressions: 600, clicks: 20, spend: '10.25', conversions: 1, amount: 50 };
  return {
    date,
    level: 'campaign',
    entityId: '2001',
    dimension: 'age',
    value: '25-34',
    ...figures,
  };
}

/** @param {string} date */
function blogRow(date) {
  return {
    date,
    pageViews: 10,
    visitors: 4,
    visits: 6,
    averageDurationSeconds: 30,
    referrers: [
      {
        title: 'Search',
        count: 6,
        detail: [],
      },
    ],
    posts: [
      {
        id: 'p1',
        title: 'Shoes',
        views: 9,
        type: 'post',
        writtenOn: date,
      },
    ],
    neighbours: {
      mutual: 1,
      oneWay: 2,
      other: 3,
    },
  };
}
