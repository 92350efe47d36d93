import { decimalOfMicros, type sumAtoms } from '../truth/ads-truth.ts';
import { type AdsNode, isRemovedOn, isSwitchedOn } from '../world/ads-tree.ts';
import { fraction } from '../world/random.ts';
import type { Kind, Row } from './resources.ts';
import { keywordOf } from './world.ts';

type Value = string | number | boolean | undefined;

const AGE_CRITERIA: Readonly<Record<string, string>> = {
  AGE_RANGE_18_24: '503001',
  AGE_RANGE_25_34: '503002',
  AGE_RANGE_35_44: '503003',
  AGE_RANGE_45_54: '503004',
  AGE_RANGE_55_64: '503005',
  AGE_RANGE_65_UP: '503006',
  AGE_RANGE_UNDETERMINED: '503999',
  MALE: '10',
  FEMALE: '11',
  UNDETERMINED: '20',
};

function statusOf(node: AdsNode | undefined, today: string): Value {
  if (!node) return undefined;
  if (isRemovedOn(node, today)) return 'REMOVED';
  return isSwitchedOn(node, today) ? 'ENABLED' : 'PAUSED';
}

function criterionOf({ nodes, view }: Row): string | undefined {
  return nodes.keyword?.id ?? AGE_CRITERIA[String(view.type)];
}

/** Every attribute that can be selected, by its name in queries. */
export const ATTRIBUTES: Readonly<Record<string, (row: Row, today: string) => Value>> = {
  'customer.id': ({ account }) => account.id,
  'customer.descriptive_name': ({ account }) => account.name,
  'customer.currency_code': ({ account }) => account.currency,
  'customer.time_zone': ({ account }) => account.zone.name,
  'customer.status': () => 'ENABLED',
  'customer.manager': () => false,
  'campaign.id': ({ nodes }) => nodes.campaign?.id,
  'campaign.name': ({ nodes }) => nodes.campaign?.name,
  'campaign.status': ({ nodes }, today) => statusOf(nodes.campaign, today),
  'campaign.advertising_channel_type': ({ nodes }) =>
    nodes.campaign?.children.length === 0 ? 'PERFORMANCE_MAX' : 'SEARCH',
  'campaign.start_date_time': ({ nodes }) => `${nodes.campaign?.createdOn} 00:00:00`,
  'campaign.end_date_time': ({ nodes }) =>
    nodes.campaign?.endedOn && `${nodes.campaign.endedOn} 00:00:00`,
  'ad_group.id': ({ nodes }) => nodes.adGroup?.id,
  'ad_group.name': ({ nodes }) => nodes.adGroup?.name,
  'ad_group.status': ({ nodes }, today) => statusOf(nodes.adGroup, today),
  'ad_group.campaign': (row) => nameOf('campaign', row),
  'ad_group.type': () => 'SEARCH_STANDARD',
  'ad_group_ad.ad.id': ({ nodes }) => nodes.ad?.id,
  'ad_group_ad.ad.name': ({ nodes }) => nodes.ad?.name,
  'ad_group_ad.ad.type': () => 'RESPONSIVE_SEARCH_AD',
  'ad_group_ad.status': ({ nodes }, today) => statusOf(nodes.ad, today),
  'ad_group_ad.ad_group': (row) => nameOf('ad_group', row),
  'ad_group_criterion.criterion_id': criterionOf,
  'ad_group_criterion.status': ({ nodes }, today) =>
    statusOf(nodes.keyword ?? nodes.adGroup, today),
  'ad_group_criterion.keyword.text': ({ nodes }) => nodes.keyword && keywordOf(nodes.keyword).text,
  'ad_group_criterion.keyword.match_type': ({ nodes }) =>
    nodes.keyword && keywordOf(nodes.keyword).matchType,
  'ad_group_criterion.age_range.type': ({ view }) => view.type,
  'ad_group_criterion.gender.type': ({ view }) => view.type,
  'user_location_view.country_criterion_id': ({ view }) => view.country_criterion_id,
  'user_location_view.targeting_location': ({ view }) => view.targeting_location,
  'geographic_view.country_criterion_id': ({ view }) => view.country_criterion_id,
  'geographic_view.location_type': ({ view }) => view.location_type,
};

/** The kinds that a field's resource needs in a row. */
export const KIND_OF_RESOURCE: Readonly<Record<string, Kind>> = {
  campaign: 'campaign',
  ad_group: 'adGroup',
  ad_group_ad: 'ad',
};

/** Resources whose attributes may be selected beside those of the one behind FROM. */
export const BESIDE: Readonly<Record<string, readonly string[]>> = {
  customer: [],
  campaign: ['customer'],
  ad_group: ['customer', 'campaign'],
  ad_group_ad: ['customer', 'campaign', 'ad_group'],
  keyword_view: ['customer', 'campaign', 'ad_group', 'ad_group_criterion'],
  age_range_view: ['customer', 'campaign', 'ad_group', 'ad_group_criterion'],
  gender_view: ['customer', 'campaign', 'ad_group', 'ad_group_criterion'],
  user_location_view: ['customer', 'campaign', 'ad_group'],
  geographic_view: ['customer', 'campaign', 'ad_group'],
};

/** Every row names its resources. */
export function nameOf(resource: string, row: Row): string {
  const { account, nodes, view } = row;
  const group = nodes.adGroup?.id;
  const tails: Record<string, string> = {
    customer: '',
    campaign: `/campaigns/${nodes.campaign?.id}`,
    ad_group: `/adGroups/${group}`,
    ad_group_ad: `/adGroupAds/${group}~${nodes.ad?.id}`,
    ad_group_criterion: `/adGroupCriteria/${group}~${criterionOf(row)}`,
    keyword_view: `/keywordViews/${group}~${criterionOf(row)}`,
    age_range_view: `/ageRangeViews/${group}~${criterionOf(row)}`,
    gender_view: `/genderViews/${group}~${criterionOf(row)}`,
    user_location_view: `/userLocationViews/${view.country_criterion_id}~${view.targeting_location}`,
    geographic_view: `/geographicViews/${view.country_criterion_id}~${view.location_type}`,
  };
  return `customers/${account.id}${tails[resource] ?? ''}`;
}

export type Sums = ReturnType<typeof sumAtoms>;

/** Whole numbers are sent as text, doubles as numbers. */
const METRICS: Readonly<Record<string, (sums: Sums) => string | number>> = {
  impressions: ({ impressions }) => String(impressions),
  clicks: ({ clicks }) => String(clicks),
  cost_micros: ({ spend }) => String(spend),
  conversions: ({ conversions }) => Number(decimalOfMicros(conversions)),
  conversions_value: ({ amount }) => Number(decimalOfMicros(amount)),
  all_conversions: ({ conversions }) => Number(decimalOfMicros(2 * conversions)),
  all_conversions_value: ({ amount }) => Number(decimalOfMicros(2 * amount)),
  ctr: ({ clicks, impressions }) => (impressions === 0 ? 0 : clicks / impressions),
  average_cpc: ({ spend, clicks }) => (clicks === 0 ? 0 : spend / clicks),
};

export function isMetric(field: string): boolean {
  return field.startsWith('metrics.') && field.slice(8) in METRICS;
}

/** The metrics of a row: a zero that was computed is sent, one that was not is left out. */
export function metricOf(field: string, sums: Sums, key: string): string | number | undefined {
  const value = METRICS[field.slice(8)]?.(sums) ?? 0;
  return Number(value) === 0 && fraction(`zero/${key}/${field}`) < 0.5 ? undefined : value;
}
