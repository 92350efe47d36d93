import {
  type BlogStatistics,
  CHANNEL_TYPES,
  CHANNELS,
  type ChannelType,
  dataObjectJson,
  type Figures,
  fillOf,
  type Part,
  STORED_METRICS,
} from '@tributary/shared';

const FIGURES: Figures = [1200, 30, 2_000_000, 61_500_000, 14_250_000, 1260, 900];
const VALUES: Partial<Record<Part, string>> = {
  age: '25-34',
  gender: 'female',
  country: 'KR',
  region: 'Seoul',
  device: 'mobile',
  hour: '09',
  keyword: 'running shoes',
  placement: 'feed',
  devicePlatform: 'MOBILE ANDROID',
  publisherGroup: 'portal',
  placementGroup: 'main',
};
const DAY = '2026-11-01';

/** Figures as the channel gives them at a place, null where it does not. */
function dataObject(type: ChannelType, part: Part): unknown {
  const channel = CHANNELS[type];
  const metrics = fillOf(channel, 'c', part)?.fill.metrics ?? [];
  const figures = FIGURES.map((value, index) => {
    const metric = STORED_METRICS[index];
    return metric && metrics.includes(metric) ? value : null;
  });
  // Every part of a campaign has the three figures that are never null.
  return JSON.parse(dataObjectJson(figures as Figures, channel.ppc));
}

function statistics(type: ChannelType): unknown {
  const channel = CHANNELS[type];
  const lists = channel.lists.map((list) => [
    list,
    fillOf(channel, 'c', list) ? [{ [list]: VALUES[list], data: dataObject(type, list) }] : [],
  ]);
  const day = { date: DAY, total: dataObject(type, 'base'), ...Object.fromEntries(lists) };
  return { date: DAY, data: { [type]: [day] } };
}

export type Examples = Record<string, { value: unknown }>;

/** One answer for each advertising channel. */
export function statisticsExamples(): Examples {
  const ads = CHANNEL_TYPES.filter((type) => CHANNELS[type].kind === 'ads');
  return Object.fromEntries(ads.map((type) => [type, { value: statistics(type) }]));
}

export const AD_EXAMPLES: Examples = {
  SOCIAL_ADS: {
    value: {
      date: `${DAY}/2026-11-30`,
      data: { ...Object(dataObject('SOCIAL_ADS', 'base')), reach: null },
    },
  },
};

export const BLOG_ANSWER: BlogStatistics = {
  date: `${DAY}/2026-11-30`,
  data: {
    visit_pv_cnt: 2400,
    uv_cnt: 55,
    visit_cnt: 1800,
    referer: [
      {
        title: 'Search',
        percent: '70.5',
        detail: [{ title: 'running shoes, red', percent: '100.0' }],
      },
      { title: 'Direct', percent: '29.5', detail: [] },
    ],
    rank_pv: [
      { rank: 1, title: 'Which shoes for rain?', views: 180, type: 'post', date: '2026-10-01' },
    ],
    average_duration: 25.4,
    relation_dist: { both_way_neighborhood: 10, one_way_neighborhood: 6, other: 1784 },
  },
};

export const BLOG_EXAMPLES: Examples = { PORTAL1_BLOG: { value: BLOG_ANSWER } };

const CREDENTIALS: Readonly<Record<ChannelType, object>> = {
  SOCIAL_ADS: { accessToken: 'EAABexample' },
  SEARCH_ENGINE_ADS: {
    clientId: '100000000001-shop.apps.example',
    clientSecret: 'secret',
    refreshToken: '1//refresh',
    loginCustomerId: '1234567890',
  },
  PORTAL1_SEARCH_AD: {
    customerId: '1234567',
    apiKey: '0100000000abcdef',
    secretKey: 'AQAAAAexample==',
  },
  PORTAL2_KEYWORD: { businessToken: 'token' },
  PORTAL2_DISPLAY: { businessToken: 'token' },
  PORTAL1_DA: { clientId: 'client', clientSecret: 'secret', refreshToken: 'refresh' },
  PORTAL1_BLOG: { feedToken: 'token' },
};

/** A body of POST /link for each channel. */
export function linkExamples(): Examples {
  return Object.fromEntries(
    CHANNEL_TYPES.map((type) => [
      type,
      { value: { type, title: 'Spring shop', tag: 'shop-1', credentials: CREDENTIALS[type] } },
    ]),
  );
}
