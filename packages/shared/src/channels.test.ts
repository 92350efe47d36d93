import { CHANNEL_TYPES, CHANNELS, fillOf, lacksFeed, sourcesOf, unfedLists } from './channels.ts';
import { LEVELS, type Level, LISTED_LEVELS } from './levels.ts';
import { STORED_METRICS } from './metrics.ts';
import { slotsKey } from './slots.ts';

const channels = CHANNEL_TYPES.map((type) => CHANNELS[type]);
const adChannels = channels.filter(({ kind }) => kind === 'ads');
const depth = (level: Level) => LEVELS.indexOf(level);

/** Section 2.4 of the interface, word for word. */
const LISTS = {
  SOCIAL_ADS: 'age, gender, country, region, device, hour',
  PORTAL1_SEARCH_AD: 'age, gender, keyword, region, device, hour',
  SEARCH_ENGINE_ADS: 'age, gender, device, region, hour, keyword',
  PORTAL2_KEYWORD: 'device, hour, placement, keyword',
  PORTAL2_DISPLAY: 'device, placement, age, gender, region, hour',
  PORTAL1_DA: 'age, gender, hour, devicePlatform, publisherGroup, placementGroup',
  PORTAL1_BLOG: '',
};

/** Which metrics beyond delivery a channel's totals have; everything else is null. */
const SUPPORTED = {
  SOCIAL_ADS: ['conversions', 'amount', 'reach'],
  PORTAL1_SEARCH_AD: ['conversions', 'amount'],
  SEARCH_ENGINE_ADS: ['conversions', 'amount'],
  PORTAL2_KEYWORD: ['conversions', 'amount', 'rimp'],
  PORTAL2_DISPLAY: ['conversions', 'amount', 'reach'],
  PORTAL1_DA: ['conversions', 'amount'],
  PORTAL1_BLOG: [],
};

it.each(channels)('$type has the lists of the interface in its order', ({ type, lists }) => {
  expect(lists.join(', ')).toBe(LISTS[type]);
});

it.each(channels)(
  '$type has sources with unique ids that are safe in keys and paths',
  ({ sources }) => {
    const ids = sources.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(ids).not.toContain('sealed');
  },
);

it.each(adChannels)(
  '$type fills every part at most once, from rows at or below its level',
  (channel) => {
    const filled = channel.sources.flatMap(({ fills }) =>
      fills.map(({ level, part }) => `${level}-${part}`),
    );
    expect(new Set(filled).size).toBe(filled.length);
    for (const { level, part, from } of channel.sources.flatMap(({ fills }) => fills)) {
      const [rows, name] = from.split('-') as [Level, string];
      expect([from, depth(rows) >= depth(level)]).toEqual([from, true]);
      expect(name).toBe(part);
      expect(part === 'base' || channel.lists.includes(part)).toBe(true);
      expect([level, part]).not.toEqual(['d', expect.not.stringMatching(/^base$/)]);
    }
  },
);

it.each(adChannels)(
  '$type has totals at campaign, ad group and ad, and at every level that has lists',
  (channel) => {
    for (const level of ['c', 'g', 'd'] as const)
      expect(fillOf(channel, level, 'base')).toBeDefined();
    for (const level of LISTED_LEVELS) {
      const hasLists = channel.lists.some((list) => fillOf(channel, level, list));
      if (hasLists) expect([level, fillOf(channel, level, 'base')]).not.toEqual([level, undefined]);
    }
  },
);

it('the account has totals on every channel but the one that the interface plans for later', () => {
  const without = adChannels
    .filter((channel) => !fillOf(channel, 'a', 'base'))
    .map(({ type }) => type);
  expect(without).toEqual(['PORTAL1_SEARCH_AD']);
});

it.each(adChannels)(
  '$type supports the metrics of its row in the table, lists no more than totals',
  (channel) => {
    const extra = (metrics: readonly string[] = []) =>
      STORED_METRICS.filter(
        (one) => metrics.includes(one) && !['impressions', 'clicks', 'spend'].includes(one),
      );
    for (const level of LEVELS) {
      const totals = fillOf(channel, level, 'base')?.fill.metrics;
      if (!totals) continue;
      const isDeliveryOnly = channel.type === 'PORTAL2_KEYWORD' && level === 'a';
      expect([level, extra(totals)]).toEqual([
        level,
        isDeliveryOnly ? [] : extra(SUPPORTED[channel.type]),
      ]);
      for (const list of channel.lists) {
        const metrics = fillOf(channel, level, list)?.fill.metrics ?? [];
        expect(metrics.filter((metric) => !totals.includes(metric))).toEqual([]);
      }
    }
    expect(channel.ppc).toBe(channel.type === 'PORTAL2_KEYWORD');
  },
);

it('social ads has no conversions by region and hour and no reach by hour', () => {
  const { SOCIAL_ADS } = CHANNELS;
  expect(fillOf(SOCIAL_ADS, 'c', 'region')?.fill.metrics).toEqual([
    'impressions',
    'clicks',
    'spend',
    'reach',
  ]);
  expect(fillOf(SOCIAL_ADS, 'c', 'hour')?.fill.metrics).toEqual(['impressions', 'clicks', 'spend']);
});

it.each(adChannels)(
  '$type reads the lists and totals of a level at the same slots, totals last',
  (channel) => {
    for (const level of LEVELS) {
      const sources = sourcesOf(channel, level);
      const timely = sources.filter(({ late }) => !late);
      expect([level, new Set(timely.map(slotsKey)).size]).toEqual([
        level,
        timely.length > 0 ? 1 : 0,
      ]);
      const totals = fillOf(channel, level, 'base')?.source.id;
      if (totals) expect([level, sources.at(-1)?.id]).toEqual([level, totals]);
    }
  },
);

it.each(channels)(
  '$type has windows and histories of whole days and bounded rows',
  ({ sources }) => {
    const entities = { c: 0, g: 0, d: 0 };
    for (const source of sources) {
      expect(source.maxDays).toBeGreaterThanOrEqual(1);
      expect(source.historyDays).toBeGreaterThanOrEqual(source.lookbackDays);
      expect(source.rowsPerDay(entities)).toBeGreaterThanOrEqual(1);
      expect(source.callsPerWindow(entities, source.maxDays)).toBeGreaterThanOrEqual(1);
    }
  },
);

it('knows which lists nobody gives without a feed, and which links lack one', () => {
  const { PORTAL1_DA: da, SOCIAL_ADS: social, PORTAL1_BLOG: blog } = CHANNELS;
  const lists = ['age', 'gender', 'devicePlatform', 'publisherGroup', 'placementGroup'];
  expect(unfedLists(da, { withoutFeed: true })).toEqual(lists);
  expect(unfedLists(da, {})).toEqual([]);
  expect(unfedLists(social, { withoutFeed: true })).toEqual([]);
  expect([da, blog, social].map((one) => lacksFeed(one, {}))).toEqual([true, true, false]);
  expect(lacksFeed(da, { feedUrl: 'https://feed.example' })).toBe(false);
});
