// @ts-check
/**
 * Seeded figures of one campaign: of size M about 55 entries and 10.5 KB of JSON a day, of size L 160 and 30 KB.
 * @typedef {import('@tributary/shared').ObservationRow} ObservationRow
 * @typedef {import('@tributary/shared').Figures} Figures
 */

/** @typedef {'M' | 'L'} Size */

const regions = ['Seoul', 'Busan', 'Incheon', 'Daegu', 'Daejeon', 'Gwangju', 'Suwon', 'Ulsan'];
const manyRegions = Array.from({ length: 113 }, (_, index) => `${regions[index % 8]} ${index}`);

/** The values of each list of size M; together with the entries for what was not attributed about 55 a day. */
const lists = {
  age: ['13-17', '18-24', '25-34', '35-44', '45-54', '55-64', '65+'],
  gender: ['female', 'male', 'unknown'],
  country: ['KR', 'US', 'JP'],
  region: regions,
  device: ['desktop', 'ios', 'android_smartphone', 'other'],
  hour: Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0')),
};

/** @typedef {keyof typeof lists} List */

/**
 * The same numbers for the same seed on every machine (mulberry32).
 * @param {number} seed
 * @returns {() => number} in [0, 1)
 */
export function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/**
 * The rows of one campaign's day: totals, and per list values that come to about 60 % of them.
 * @param {string} campaign
 * @param {() => number} random
 * @param {Size} [size]
 * @returns {Record<'base' | List, ObservationRow[]>}
 */
export function campaignDay(campaign, random, size = 'M') {
  const impressions = 80_000 + 40_000 * random();
  /** @type {(value: string, share: number) => ObservationRow} */
  const row = (value, share) => [campaign, '', '', value, ...deliver(impressions * share, random)];
  /** @param {List} list */
  const rows = (list) => {
    const values = list === 'region' && size === 'L' ? manyRegions : lists[list];
    return values.map((value) => row(value, (0.3 + 0.6 * random()) / values.length));
  };
  return {
    base: [row('', 1)],
    age: rows('age'),
    gender: rows('gender'),
    country: rows('country'),
    region: rows('region'),
    device: rows('device'),
    hour: rows('hour'),
  };
}

const micros = 1_000_000;

/**
 * What so many impressions may bring: 2 % are clicked, 4 % of the clicks convert.
 * @param {number} about
 * @param {() => number} random
 * @returns {Figures}
 */
function deliver(about, random) {
  const impressions = Math.floor(about);
  const clicks = Math.floor(impressions * (0.019 + 0.002 * random()));
  const conversions = Math.floor(clicks * (0.038 + 0.004 * random()));
  const amount = conversions * Math.floor(30_000 + 3_000 * random());
  const spendCents = Math.floor(clicks * (20_000 + 2_000 * random()));
  const reach = Math.floor(impressions * (0.6 + 0.2 * random()));
  return [
    impressions,
    clicks,
    conversions * micros,
    amount * micros,
    (spendCents * micros) / 100,
    null,
    reach,
  ];
}
