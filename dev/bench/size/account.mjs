// @ts-check
/**
 * A large account of SEARCH_ENGINE_ADS as figures that can be computed: the same day and source always give the same rows,
 * so nothing of it is kept.
 */

/** @typedef {{ campaigns: number, adGroups: number, ads: number, keywords: number }} Size totals of the account */
/** @typedef {{ entity: number, value: number }} RowPlace which entity of its level, which value of its list */

/** @type {Size} */
export const fullSize = { campaigns: 100, adGroups: 5_000, ads: 20_000, keywords: 50_000 };

/** Rows of a page, as the platform gives them. */
export const pageRows = 10_000;

const ages = ['18-24', '25-34', '35-44', '45-54', '55-64', '65+', 'unknown'];
const genders = ['male', 'female', 'unknown'];
const devices = ['desktop', 'mobile', 'tablet', 'tv'];
const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
const regions = Array.from({ length: 20 }, (_, index) => `Region ${index + 1}`);
/** @type {Record<string, readonly string[]>} */
const words = {
  base: [''],
  age: ages,
  gender: genders,
  device: devices,
  hour: hours,
  region: regions,
};

/**
 * How many rows a source has on one day.
 * @param {string} source such as `g-hour`
 * @param {Size} size
 */
export function rowsOfDay(source, size) {
  const [level = '', part = ''] = source.split('-');
  return part === 'keyword' ? size.keywords : entitiesAt(level, size) * (words[part]?.length ?? 0);
}

/**
 * One row: ids down to its level, the value in our words, and the figures in the platform's units.
 * @param {string} source
 * @param {number} index
 * @param {string} day
 * @param {Size} size
 */
export function rowAt(source, index, day, size) {
  const [level = '', part = ''] = source.split('-');
  const values = part === 'keyword' ? size.keywords / size.adGroups : (words[part]?.length ?? 1);
  const entity = Math.floor(index / values);
  const place = index % values;
  const value =
    part === 'keyword' ? `keyword ${index + 1} of the shop` : (words[part]?.[place] ?? '');
  const chance = mixed(index * 31 + Number(day.slice(8)));
  const impressions = impressionsOf({ level, entity, day, size }) * shareOf(chance, values);
  const clicks = Math.floor((impressions * (1 + (chance % 89))) / 900);
  const clickCost = 100 + (mixed(chance) % 2_900);
  return {
    ids: idsOf(level, entity, size),
    value,
    impressions: Math.floor(impressions),
    clicks,
    costMicros: clicks * clickCost * 1_000_000,
    conversions: Math.floor(clicks / 7),
    conversionsValue: Math.floor(clicks / 7) * 25_000,
  };
}

/**
 * A node of the tree, by its place among all of its level.
 * @param {'c' | 'g' | 'd'} level
 * @param {number} index
 * @param {Size} size
 */
export function entityAt(level, index, size) {
  const ids = idsOf(level, index, size);
  const above = level === 'd' ? ids.adGroup : level === 'g' ? ids.campaign : '';
  const own = level === 'd' ? ids.ad : level === 'g' ? ids.adGroup : ids.campaign;
  return { id: own, parent: above, name: `Name of ${level} ${index + 1}` };
}

/**
 * @param {string} level
 * @param {Size} size
 */
export function entitiesAt(level, { campaigns, adGroups, ads }) {
  return level === 'a' ? 1 : level === 'c' ? campaigns : level === 'g' ? adGroups : ads;
}

/**
 * @param {string} level
 * @param {number} entity
 * @param {Size} size
 */
function idsOf(level, entity, size) {
  const adGroup = level === 'd' ? Math.floor((entity * size.adGroups) / size.ads) : entity;
  const campaign = level === 'c' ? entity : Math.floor((adGroup * size.campaigns) / size.adGroups);
  return {
    campaign: level === 'a' ? '' : String(20_000_000_000 + campaign),
    adGroup: level === 'g' || level === 'd' ? String(150_000_000_000 + adGroup) : '',
    ad: level === 'd' ? String(680_000_000_000 + entity) : '',
  };
}

/** @param {{ level: string, entity: number, day: string, size: Size }} place */
function impressionsOf({ level, entity, day, size }) {
  const share = size.ads / entitiesAt(level, size);
  return (800 + (mixed(entity * 31 + Number(day.slice(8))) % 600)) * share;
}

/**
 * The share of one of many values: together at most 1, and what they leave is not attributed.
 * @param {number} chance
 * @param {number} values
 */
function shareOf(chance, values) {
  return values === 1 ? 1 : (0.5 + (chance % 1000) / 2000) / values;
}

/**
 * Spreads whole numbers over 32 bits.
 * @param {number} value
 */
function mixed(value) {
  let mix = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  mix = Math.imul(mix ^ (mix >>> 12), 0x297a2d39);
  return (mix ^ (mix >>> 15)) >>> 0;
}
