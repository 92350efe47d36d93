import { type Channel, type ChannelType, type Dimension, fillOf } from './channels.ts';
import { LEVELS, type Level } from './levels.ts';
import type { StoredMetric } from './metrics.ts';
import type { Part } from './observation.ts';

/** The metrics that a channel may lack. */
export const OPTIONAL_METRICS = ['conversions', 'amount', 'reach', 'ppc', 'rimp'] as const;
export type OptionalMetric = (typeof OPTIONAL_METRICS)[number];

/** A list that stays empty or metrics that stay null at some levels, because the platform does not tell them. */
export interface NotGiven {
  levels: readonly Level[];
  /** Absent = the totals. */
  list?: Dimension;
  /** Absent = the whole list, or every answer of the level. */
  metrics?: readonly OptionalMetric[];
  reason: string;
}

/** Fits a cell when everything that it names fits. */
interface Rule {
  levels?: readonly Level[];
  parts?: readonly Part[];
  metrics?: readonly OptionalMetric[];
  reason: string;
}

const NO_SUCH_METRIC: Rule = {
  metrics: ['ppc', 'rimp'],
  reason: 'The platform has no such metric.',
};
const NO_REACH: Rule = {
  metrics: ['reach'],
  reason: "The platform's reports count no people.",
};

const RULES: Readonly<Record<ChannelType, readonly Rule[]>> = {
  SOCIAL_ADS: [
    NO_SUCH_METRIC,
    {
      parts: ['region', 'hour'],
      metrics: ['conversions', 'amount'],
      reason: 'The platform attributes no conversions of websites and apps to regions and hours.',
    },
    { parts: ['hour'], metrics: ['reach'], reason: 'The platform counts no people by hour.' },
  ],
  SEARCH_ENGINE_ADS: [
    NO_SUCH_METRIC,
    {
      metrics: ['reach'],
      reason: 'The platform tells reach of some kinds of campaigns and ranges only.',
    },
  ],
  PORTAL1_SEARCH_AD: [
    NO_SUCH_METRIC,
    NO_REACH,
    { levels: ['a'], reason: 'The interface plans the account level of this channel for later.' },
  ],
  PORTAL2_KEYWORD: [
    NO_REACH,
    {
      levels: ['a'],
      metrics: ['conversions', 'amount', 'rimp'],
      reason: "The platform's account report knows delivery only.",
    },
  ],
  PORTAL2_DISPLAY: [NO_SUCH_METRIC],
  PORTAL1_DA: [NO_SUCH_METRIC, NO_REACH],
  PORTAL1_BLOG: [],
};

/**
 * What a channel never fills, and why; the channel table says what it fills.
 *
 * @throws TypeError for a cell without a reason: the table lacks it
 */
export function notGiven(channel: Channel): NotGiven[] {
  const found = new Map<string, NotGiven & { levels: Level[] }>();
  const note = (level: Level, part: Part, metrics: readonly OptionalMetric[] | undefined) => {
    const list = part === 'base' ? undefined : part;
    for (const [reason, lacking] of reasonsOf(channel, { level, part, metrics })) {
      const key = [reason, list, ...(lacking ?? [])].join(' ');
      const known = found.get(key);
      if (known) known.levels.push(level);
      else {
        const what = { ...(list && { list }), ...(lacking && { metrics: lacking }) };
        found.set(key, { levels: [level], ...what, reason });
      }
    }
  };
  for (const level of channel.kind === 'ads' ? LEVELS : []) {
    const lists: readonly Part[] = level === 'd' ? [] : channel.lists;
    if (!fillOf(channel, level, 'base')) {
      note(level, 'base', undefined);
      continue;
    }
    const lackingTotals = lackingMetrics(channel, level, 'base') ?? [];
    if (lackingTotals.length > 0) note(level, 'base', lackingTotals);
    for (const part of lists) {
      const lacking = lackingMetrics(channel, level, part);
      if (!lacking) note(level, part, undefined);
      else {
        // What the totals lack is said of them; a list names only what it lacks besides.
        const more = lacking.filter((metric) => !lackingTotals.includes(metric));
        if (more.length > 0) note(level, part, more);
      }
    }
  }
  return [...found.values()];
}

/** The metrics that a part lacks; undefined = the platform does not give the part. */
export function lackingMetrics(
  channel: Channel,
  level: Level,
  part: Part,
): OptionalMetric[] | undefined {
  const filled = fillOf(channel, level, part);
  if (!filled) return undefined;
  const given: readonly (StoredMetric | 'ppc')[] = [
    ...filled.fill.metrics,
    ...(channel.ppc ? (['ppc'] as const) : []),
  ];
  return OPTIONAL_METRICS.filter((metric) => !given.includes(metric));
}

interface Cell {
  level: Level;
  part: Part;
  metrics: readonly OptionalMetric[] | undefined;
}

/** The metrics of a cell by the reason why they are lacking; undefined metrics = all of it. */
function reasonsOf(channel: Channel, { level, part, metrics }: Cell) {
  const reasons = new Map<string, OptionalMetric[] | undefined>();
  for (const metric of metrics ?? [undefined]) {
    const rule = RULES[channel.type].find(
      (one) =>
        (one.levels?.includes(level) ?? true) &&
        (one.parts?.includes(part) ?? true) &&
        (metric === undefined
          ? one.metrics === undefined
          : (one.metrics?.includes(metric) ?? false)),
    );
    if (!rule) {
      throw new TypeError(
        `No reason why ${channel.type} lacks ${metric ?? part} at level '${level}'`,
      );
    }
    reasons.set(rule.reason, metric && [...(reasons.get(rule.reason) ?? []), metric]);
  }
  return reasons;
}
