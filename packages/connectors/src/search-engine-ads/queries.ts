import type { Day, Fill, Level, Part } from '@tributary/shared';

const METRICS =
  'metrics.impressions, metrics.clicks, metrics.cost_micros, metrics.conversions, metrics.conversions_value';

const RESOURCES: Readonly<Record<Level, string>> = {
  a: 'customer',
  c: 'campaign',
  g: 'ad_group',
  d: 'ad_group_ad',
};
const ID_FIELDS = ['customer.id', 'campaign.id', 'ad_group.id', 'ad_group_ad.ad.id'];

interface View {
  /** Instead of the level's own resource. */
  from?: string;
  fields: readonly string[];
}

/**
 * Where each list comes from. Regions are those of `user_location_view`, where somebody physically was: every click is in
 * it at most once, with a targeted place or an untargeted one. `geographic_view` has rows for places of presence and of
 * interest side by side, whose sum is more than what happened.
 */
const VIEWS: Readonly<Partial<Record<Part, View>>> = {
  base: { fields: [] },
  device: { fields: ['segments.device'] },
  hour: { fields: ['segments.hour'] },
  age: {
    from: 'age_range_view',
    fields: ['ad_group_criterion.age_range.type', 'ad_group_criterion.criterion_id'],
  },
  gender: {
    from: 'gender_view',
    fields: ['ad_group_criterion.gender.type', 'ad_group_criterion.criterion_id'],
  },
  keyword: {
    from: 'keyword_view',
    fields: ['ad_group_criterion.keyword.text', 'ad_group_criterion.criterion_id'],
  },
  region: {
    from: 'user_location_view',
    fields: [
      'segments.geo_target_region',
      'user_location_view.country_criterion_id',
      'user_location_view.targeting_location',
    ],
  },
};

/**
 * The query of one source over some days. Rows are ordered by day, ids and value, so that those which share a word stand
 * beside each other.
 */
export function statisticsQuery({ level, part }: Fill, from: Day, to: Day): string {
  const view = VIEWS[part];
  if (!view) throw new TypeError(`The channel has no list '${part}'`);
  const ids = ID_FIELDS.slice(0, 'acgd'.indexOf(level) + 1);
  const order = ['segments.date', ...ids.slice(1), ...view.fields.slice(0, 1)];
  return [
    `SELECT ${[...ids, 'segments.date', ...view.fields, METRICS].join(', ')}`,
    `FROM ${view.from ?? RESOURCES[level]}`,
    `WHERE segments.date BETWEEN '${from}' AND '${to}'`,
    `ORDER BY ${order.join(', ')}`,
  ].join(' ');
}
