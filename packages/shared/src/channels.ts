import type { Day, Millis } from './account.ts';
import { dayAt, daysBetween } from './days.ts';
import type { EntityCounts, Level, ListedLevel } from './levels.ts';
import type { StoredMetric } from './metrics.ts';
import type { Part, SetId } from './observation.ts';

/** The interface's channel identifiers. */
export const CHANNEL_TYPES = [
  'SOCIAL_ADS',
  'PORTAL1_SEARCH_AD',
  'SEARCH_ENGINE_ADS',
  'PORTAL2_KEYWORD',
  'PORTAL2_DISPLAY',
  'PORTAL1_DA',
  'PORTAL1_BLOG',
] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** Every breakdown list of the interface, by its field name. */
export type Dimension =
  | 'age'
  | 'gender'
  | 'country'
  | 'region'
  | 'device'
  | 'hour'
  | 'keyword'
  | 'placement'
  | 'devicePlatform'
  | 'publisherGroup'
  | 'placementGroup';

/** What a source gives: one part of one level with the metrics that the platform supports there. */
export interface Fill {
  level: Level;
  part: Part;
  metrics: readonly StoredMetric[];
  /** The stored set that is summed for this fill; its rows may lie on a lower level. */
  from: SetId;
}

/** The smallest set of upstream calls that gives complete entries for some parts. */
export interface Source {
  /** Unique in the channel; part of keys, so only `[A-Za-z0-9_-]`. */
  id: string;
  /** The platform's names of what is called, for people. */
  calls: string;
  fills: readonly Fill[];
  /** Days that one window may span. */
  maxDays: number;
  /** Days back from today that the platform still answers for. */
  historyDays: number;
  /** An extra reading this many hours after the end of the day; null = none is needed. */
  settleHours: number | null;
  /** The platform publishes once a day, at an hour of its own zone: `settleHours` counts from the first one after the day's end. */
  publishedAt?: { hour: number; zone: string };
  /** True when nothing is read before `settleHours`: the platform publishes late. */
  late?: true;
  /** Read as often as an account's totals although it fills lower levels only: its level has lists that are. */
  often?: true;
  /** Every day has a row, also an empty one: a day that an answer leaves out is not known, not zero. */
  everyDay?: true;
  /** Read from the feed that the link's owner serves, or imported; the platform has no call for it. */
  feed?: true;
  /** Metrics of a call that the platform answers for fewer days back than the others: older days lack them. */
  newestDaysOnly?: { metrics: readonly StoredMetric[]; days: number };
  /** Full days after a day's end during which the platform may still change it. */
  lookbackDays: number;
  callsPerWindow(entities: EntityCounts, days: number): number;
  rowsPerDay(entities: EntityCounts): number;
}

/** One channel as data. */
export interface Channel {
  type: ChannelType;
  kind: 'ads' | 'blog';
  /** Breakdown lists in the interface's order. */
  lists: readonly Dimension[];
  /** Metrics the channel supports anywhere; all others are null everywhere. */
  ppc: boolean;
  /** Whether reported spend contains the value added tax; null = the sources do not say. */
  spendTax: 'included' | 'excluded' | 'none' | null;
  /** Zone and currency where the platform names none. */
  defaultZone: string;
  defaultCurrency: string;
  sources: readonly Source[];
}

const YEAR_DAYS = 365;

/** About how many values a list has per entity and day; bounds windows, never results. */
const VALUES_PER_ENTITY: Record<Part, number> = {
  base: 1,
  age: 8,
  gender: 3,
  country: 10,
  region: 20,
  device: 5,
  hour: 24,
  keyword: 70,
  placement: 10,
  devicePlatform: 4,
  publisherGroup: 6,
  placementGroup: 8,
};

function entitiesAt(level: Level, entities: EntityCounts): number {
  return level === 'a' ? 1 : Math.max(1, entities[level]);
}

type SourceLimits = Pick<Source, 'maxDays' | 'historyDays' | 'settleHours' | 'lookbackDays'> &
  Partial<Pick<Source, 'late' | 'often' | 'feed' | 'callsPerWindow'>>;

interface SetSource {
  level: Level;
  part: Part;
  calls: string;
  metrics: readonly StoredMetric[];
  limits: SourceLimits;
  /** Levels above that are summed from these rows. */
  alsoFills?: readonly ListedLevel[];
}

/** A source that stores one set, with the levels above it summed from the same rows where `alsoFills` names them. */
function setSource({ level, part, calls, metrics, limits, alsoFills = [] }: SetSource): Source {
  const from: SetId = `${level}-${part}`;
  return {
    id: from,
    calls,
    fills: [level, ...alsoFills].map((filled) => ({ level: filled, part, metrics, from })),
    callsPerWindow: () => 1,
    rowsPerDay: (entities) => entitiesAt(level, entities) * VALUES_PER_ENTITY[part],
    ...limits,
  };
}

const DELIVERY = ['impressions', 'clicks', 'spend'] as const satisfies readonly StoredMetric[];
const SALES = [...DELIVERY, 'conversions', 'amount'] as const satisfies readonly StoredMetric[];

/** Platform 1: one insights report per level and list; 37 months of totals, 13 of hours; 28 days of restatement. */
function socialAdsSources(): Source[] {
  const limits = { maxDays: 31, historyDays: 1120, settleHours: null, lookbackDays: 28 };
  const withReach = [...SALES, 'reach'] as const;
  const metricsOf: Partial<Record<Part, readonly StoredMetric[]>> = {
    region: [...DELIVERY, 'reach'],
    hour: DELIVERY,
  };
  const lists: Part[] = ['age', 'gender', 'country', 'region', 'device', 'hour', 'base'];
  const sources = (['a', 'c', 'g'] as const).flatMap((level) =>
    lists.map((part) =>
      setSource({
        level,
        part,
        calls: `insights level=${level} ${part}`,
        metrics: metricsOf[part] ?? withReach,
        limits: part === 'hour' ? { ...limits, historyDays: 394 } : limits,
      }),
    ),
  );
  const ads = { level: 'd', part: 'base', metrics: withReach, limits } as const;
  return [...sources, setSource({ ...ads, calls: 'insights level=d base' })];
}

/**
 * Platform 2: segments on the level itself, or an ad-group view that is summed upward. Demographic figures of a day come
 * once a day, at 18:00 of the platform's zone: 10:00 or 11:00 of the next day in Seoul, 21:00 in New York. Everything
 * that shares a level with them is read again then, so that lists and totals are of one moment.
 */
function searchEngineAdsSources(): Source[] {
  const limits = { maxDays: 31, historyDays: 1120, settleHours: null, lookbackDays: 30 };
  const publishedAt = { hour: 18, zone: 'America/Los_Angeles' };
  const joined = { ...limits, settleHours: 2, publishedAt } as const;
  const often = { ...joined, often: true } as const; // the views of the ad groups fill the levels above
  const levels = { a: 'customer', c: 'campaign', g: 'ad_group' } as const;
  const onLevel = (['a', 'c', 'g'] as const).flatMap((level) =>
    (['device', 'hour', 'base'] as const).map((part) => {
      const calls = `${levels[level]}${part === 'base' ? '' : `, segments.${part}`}`;
      return setSource({ level, part, calls, metrics: SALES, limits: often });
    }),
  );
  const names = {
    age: 'age_range_view',
    gender: 'gender_view',
    region: 'user_location_view, segments.geo_target_region',
    keyword: 'keyword_view',
  } as const;
  const views = (['age', 'gender', 'region', 'keyword'] as const).map((part) =>
    setSource({
      level: 'g',
      part,
      calls: names[part],
      metrics: SALES,
      limits: part === 'age' || part === 'gender' ? { ...joined, late: true } : joined,
      alsoFills: ['c', 'a'],
    }),
  );
  const ads = setSource({
    level: 'd',
    part: 'base',
    calls: 'ad_group_ad',
    metrics: SALES,
    limits,
  });
  return [...views, ...onLevel, ads];
}

/** Platform 3: one-day files, made in the night after the day; every level and list of it comes from three pairs. */
function portal1SearchAdSources(): Source[] {
  const limits = { maxDays: 1, settleHours: 6, late: true, lookbackDays: 3 } as const;
  const file = (
    id: string,
    calls: string,
    from: Partial<Record<Part, Level>>,
    history: Pick<Source, 'historyDays' | 'newestDaysOnly'>,
  ): Source => ({
    id,
    calls,
    fills: Object.entries(from).flatMap(([name, rows]) => {
      const part = name as Part; // Object.entries widens the keys
      const levels: Level[] = rows === 'd' ? ['c', 'g', 'd'] : ['c', 'g'];
      return levels.map(
        (level) => ({ level, part, metrics: SALES, from: `${rows}-${part}` }) as const,
      );
    }),
    ...limits,
    ...history,
    // Of each of two files: creation, one or two polls, download, deletion.
    callsPerWindow: () => 9,
    rowsPerDay: (entities) =>
      Object.entries(from).reduce(
        (rows, [part, level]) =>
          rows + entitiesAt(level, entities) * VALUES_PER_ENTITY[part as Part],
        0,
      ),
  });
  const year = { historyDays: YEAR_DAYS };
  const detail = {
    historyDays: 180,
    newestDaysOnly: { metrics: ['conversions', 'amount'], days: 45 },
  } as const;
  return [
    file('detail', 'AD_DETAIL, AD_CONVERSION_DETAIL', { hour: 'g', region: 'g' }, detail),
    file('criterion', 'CRITERION, CRITERION_CONVERSION', { age: 'g', gender: 'g' }, year),
    file('ad', 'AD, AD_CONVERSION', { keyword: 'g', device: 'g', base: 'd' }, year),
  ];
}

/**
 * Platform 4: reports of at most 31 days, below the campaigns one for each campaign. The account report knows delivery
 * only; the account's lists are summed from the campaigns, and what these leave out of its totals is unattributed.
 */
function portal2KeywordSources(): Source[] {
  const limits = { maxDays: 31, historyDays: 2 * YEAR_DAYS, settleHours: null, lookbackDays: 7 };
  const often = { ...limits, often: true } as const; // the keywords of the ad groups fill the campaigns
  // One call more finds the campaigns that delivered.
  const perCampaign = { callsPerWindow: ({ c }: EntityCounts) => 1 + c };
  const metrics = [...SALES, 'rimp'] as const;
  const dimensions = (['c', 'g'] as const).flatMap((level) =>
    (['device', 'hour', 'placement'] as const).map((part) => {
      const calls = `report dimension=${part}`;
      if (level === 'c')
        return withAccount(setSource({ level, part, calls, metrics, limits: often }));
      return setSource({ level, part, calls, metrics, limits: { ...often, ...perCampaign } });
    }),
  );
  const keywords = setSource({
    level: 'g',
    part: 'keyword',
    calls: 'keywords report',
    metrics,
    limits: { ...limits, ...perCampaign },
    alsoFills: ['c'],
  });
  const totals = (['a', 'c', 'g', 'd'] as const).map((level) =>
    setSource({
      level,
      part: 'base',
      calls: 'report',
      metrics: level === 'a' ? DELIVERY : metrics,
      limits: { ...(level === 'd' ? limits : often), ...('gd'.includes(level) ? perCampaign : {}) },
    }),
  );
  return [...dimensions, withAccount(keywords), ...totals];
}

/** Fills the account's list too, with the metrics that its totals have. */
function withAccount(source: Source): Source {
  const lists = source.fills.slice(0, 1).map((fill): Fill => {
    return { ...fill, level: 'a', metrics: DELIVERY };
  });
  return { ...source, fills: [...source.fills, ...lists] };
}

/**
 * Platform 5: one dimension per call, at most 31 days, and a few ids at once; today is a call of its own. A day is
 * provisional until 08:00 of the next.
 */
function portal2DisplaySources(): Source[] {
  const limits = { maxDays: 31, historyDays: 2 * YEAR_DAYS, settleHours: 8, lookbackDays: 7 };
  const metrics = [...SALES, 'reach'] as const;
  const reports: Readonly<Record<Level, { name: string; ids: number }>> = {
    a: { name: 'adAccounts', ids: 1 },
    c: { name: 'campaigns', ids: 5 },
    g: { name: 'adGroups', ids: 40 },
    d: { name: 'creatives', ids: 100 },
  };
  const report = (level: Level, part: Part) => {
    const { name, ids } = reports[level];
    const callsPerWindow: Source['callsPerWindow'] = (entities) =>
      Math.ceil(entitiesAt(level, entities) / ids);
    const calls = `${name} report ${part}`;
    return setSource({ level, part, calls, metrics, limits: { ...limits, callsPerWindow } });
  };
  const lists: Part[] = ['device', 'placement', 'age', 'gender', 'region', 'hour', 'base'];
  return [
    ...(['a', 'c', 'g'] as const).flatMap((level) => lists.map((part) => report(level, part))),
    report('d', 'base'),
  ];
}

/**
 * Platform 6: past performance by campaign, ad set and creative, 1,000 rows a call; the account is the sum of its
 * campaigns. It tells the days from two years ago to yesterday, and yesterday from two o'clock on; the lists that it does
 * not know come from the owner's feed and are read at the same moments.
 */
function portal1DaSources(): Source[] {
  const limits = {
    maxDays: 31,
    historyDays: 2 * YEAR_DAYS - 1, // a day less: the oldest may end while its window waits
    settleHours: 2,
    late: true,
    lookbackDays: 7,
  } as const;
  const level = (rows: 'c' | 'g' | 'd', part: 'hour' | 'base') => {
    const names = { c: 'campaigns', g: 'adSets', d: 'creatives' };
    const rowsPerDay = (entities: EntityCounts) =>
      entitiesAt(rows, entities) * VALUES_PER_ENTITY[part];
    return setSource({
      level: rows,
      part,
      calls: `performance/past/${names[rows]}${part === 'hour' ? ' hourly' : ''}`,
      metrics: SALES,
      limits: {
        ...limits,
        callsPerWindow: (entities, days) => Math.ceil((rowsPerDay(entities) * days) / 1_000),
      },
      alsoFills: rows === 'c' ? ['a'] : [],
    });
  };
  const lists = (['a', 'c', 'g'] as const).flatMap((rows) =>
    (['age', 'gender', 'devicePlatform', 'publisherGroup', 'placementGroup'] as const).map((part) =>
      setSource({
        level: rows,
        part,
        calls: 'feed observations',
        metrics: SALES,
        limits: { ...limits, feed: true },
      }),
    ),
  );
  return [
    ...lists,
    level('c', 'hour'),
    level('c', 'base'),
    level('g', 'hour'),
    level('g', 'base'),
    level('d', 'base'),
  ];
}

const BLOG_SOURCES: readonly Source[] = [
  {
    id: 'blog-days',
    calls: 'feed blog-days',
    fills: [],
    maxDays: 31,
    historyDays: 1120,
    settleHours: 2, // the platform closes a day once, in the night after it
    late: true,
    everyDay: true,
    feed: true,
    lookbackDays: 3,
    callsPerWindow: () => 1,
    rowsPerDay: () => 1,
  },
];

const KOREA = { defaultZone: 'Asia/Seoul', defaultCurrency: 'KRW' } as const;

/** The interface's table of channels, with what each platform gives. */
export const CHANNELS: Readonly<Record<ChannelType, Channel>> = {
  SOCIAL_ADS: {
    type: 'SOCIAL_ADS',
    kind: 'ads',
    lists: ['age', 'gender', 'country', 'region', 'device', 'hour'],
    ppc: false,
    spendTax: 'none',
    ...KOREA,
    sources: socialAdsSources(),
  },
  PORTAL1_SEARCH_AD: {
    type: 'PORTAL1_SEARCH_AD',
    kind: 'ads',
    lists: ['age', 'gender', 'keyword', 'region', 'device', 'hour'],
    ppc: false,
    spendTax: 'excluded',
    ...KOREA,
    sources: portal1SearchAdSources(),
  },
  SEARCH_ENGINE_ADS: {
    type: 'SEARCH_ENGINE_ADS',
    kind: 'ads',
    lists: ['age', 'gender', 'device', 'region', 'hour', 'keyword'],
    ppc: false,
    spendTax: 'none',
    ...KOREA,
    sources: searchEngineAdsSources(),
  },
  PORTAL2_KEYWORD: {
    type: 'PORTAL2_KEYWORD',
    kind: 'ads',
    lists: ['device', 'hour', 'placement', 'keyword'],
    ppc: true,
    spendTax: null,
    ...KOREA,
    sources: portal2KeywordSources(),
  },
  PORTAL2_DISPLAY: {
    type: 'PORTAL2_DISPLAY',
    kind: 'ads',
    lists: ['device', 'placement', 'age', 'gender', 'region', 'hour'],
    ppc: false,
    spendTax: 'included',
    ...KOREA,
    sources: portal2DisplaySources(),
  },
  PORTAL1_DA: {
    type: 'PORTAL1_DA',
    kind: 'ads',
    lists: ['age', 'gender', 'hour', 'devicePlatform', 'publisherGroup', 'placementGroup'],
    ppc: false,
    spendTax: 'included',
    ...KOREA,
    sources: portal1DaSources(),
  },
  PORTAL1_BLOG: {
    type: 'PORTAL1_BLOG',
    kind: 'blog',
    lists: [],
    ppc: false,
    spendTax: null,
    ...KOREA,
    sources: BLOG_SOURCES,
  },
};

/** The fill of one part of one level, with its source; undefined = the platform does not give it there. */
export function fillOf(
  channel: Channel,
  level: Level,
  part: Part,
): { source: Source; fill: Fill } | undefined {
  for (const source of channel.sources) {
    const fill = source.fills.find((one) => one.level === level && one.part === part);
    if (fill) return { source, fill };
  }
  return undefined;
}

/** True when the channel has what only a feed gives and the link's settings name no feed. */
export function lacksFeed({ sources }: Channel, settings: { feedUrl?: unknown }): boolean {
  return settings.feedUrl === undefined && sources.some(({ feed }) => feed);
}

/** True when nobody can be asked for a source: its figures come by import alone. */
export function isImported(source: Source, { withoutFeed }: { withoutFeed?: boolean }): boolean {
  return source.feed === true && withoutFeed === true;
}

/** The lists that only a feed gives, where the account has none; days that were imported have them all the same. */
export function unfedLists(
  channel: Channel,
  account: { withoutFeed?: boolean },
): readonly Dimension[] {
  return channel.lists.filter((list) =>
    channel.sources.some(
      (source) => isImported(source, account) && source.fills.some(({ part }) => part === list),
    ),
  );
}

/** The sources that fill any part of a level. */
export function sourcesOf(channel: Channel, level: Level): Source[] {
  return channel.sources.filter((source) => source.fills.some((fill) => fill.level === level));
}

/** A source by its id; undefined when the channel has none of that name (an older or newer version wrote it). */
export function findSource(channel: Channel, id: string): Source | undefined {
  return channel.sources.find((source) => source.id === id);
}

/** The metrics that a day lacks because it was read when the platform no longer told them. */
export function outlivedMetrics(
  { newestDaysOnly }: Source,
  day: Day,
  reading: { at: Millis; zone: string },
): readonly StoredMetric[] {
  if (!newestDaysOnly) return [];
  const age = daysBetween(day, dayAt(reading.at, reading.zone));
  return age > newestDaysOnly.days ? newestDaysOnly.metrics : [];
}
