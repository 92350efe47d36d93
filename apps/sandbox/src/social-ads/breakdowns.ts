import type { Segment, SegmentGroup } from '../world/social-segments.ts';
import { badParameter, GraphError } from './graph-error.ts';

export const HOURLY = 'hourly_stats_aggregated_by_advertiser_time_zone';

const GROUP_OF: Record<string, SegmentGroup | 'hour'> = {
  age: 'demo',
  gender: 'demo',
  country: 'geo',
  region: 'geo',
  publisher_platform: 'place',
  platform_position: 'place',
  impression_device: 'place',
  device_platform: 'place',
  [HOURLY]: 'hour',
};

/**
 * Since 2026-08-03 these need an opt-in that the simulated app does not have: synchronous calls answer without rows.
 */
const OPT_IN = new Set(['hourly_stats_aggregated_by_audience_time_zone', 'frequency_value']);

/** How the cells of a group fall into the rows of a breakdown. */
export interface Breakdown {
  keys: string[];
  group: SegmentGroup | 'hour' | 'none';
  /** No row is ever sent, for want of an opt-in. */
  silent: boolean;
  /** The row's values in the order of `keys`; undefined for the hour that the platform leaves out. */
  rows: (string[] | undefined)[];
  /** For each cell of the group its row, or -1 where the platform does not attribute it. */
  rowOfCell: number[];
  /** region and hours come without what happened off the platform. */
  offPlatform: boolean;
}

function hours(): Pick<Breakdown, 'rows' | 'rowOfCell'> {
  const names = Array.from({ length: 24 }, (_, hour) => {
    const hh = String(hour).padStart(2, '0');
    return [`${hh}:00:00 - ${hh}:59:59`];
  });
  const rows = [...names, undefined];
  return { rows, rowOfCell: rows.map((_, i) => i) };
}

function cells(segments: Segment[], keys: string[]): Pick<Breakdown, 'rows' | 'rowOfCell'> {
  const rows: string[][] = [];
  const known = new Map<string, number>();
  const rowOfCell = segments.map(({ values }) => {
    const row = keys.map((key) => values[key]);
    const told = row.filter((value) => value !== undefined);
    if (told.length < keys.length) return -1;
    const name = told.join(' ');
    const at = known.get(name) ?? rows.push(told) - 1;
    known.set(name, at);
    return at;
  });
  return { rows, rowOfCell };
}

/** Reads `breakdowns` for an account; errors as on the platform for unknown, removed and impossible ones. */
export function readBreakdown(
  keys: string[],
  segments: Record<SegmentGroup, Segment[]>,
): Breakdown {
  if (keys.length === 0) {
    return { keys, group: 'none', silent: false, rows: [[]], rowOfCell: [], offPlatform: true };
  }
  const [first = ''] = keys;
  if (keys.every((key) => OPT_IN.has(key))) {
    return { keys, group: 'none', silent: true, rows: [], rowOfCell: [], offPlatform: false };
  }
  for (const key of keys) {
    if (GROUP_OF[key] === undefined && !OPT_IN.has(key)) {
      throw badParameter(
        `breakdowns[0] must be one of the following values: ${Object.keys(GROUP_OF).join(', ')}; got '${key}'`,
      );
    }
  }
  const group = GROUP_OF[first];
  if (
    group === undefined ||
    keys.some((key) => GROUP_OF[key] !== group) ||
    new Set(keys).size < keys.length
  ) {
    throw new GraphError({
      code: 2,
      subcode: 1504041,
      message: `(#2) The current combination of data breakdown columns (${keys.join(', ')}) is invalid`,
    });
  }
  const split = group === 'hour' ? hours() : cells(segments[group], keys);
  const offPlatform = group !== 'hour' && !keys.includes('region');
  return {
    keys,
    group,
    silent: keys.includes('impression_device') && keys.length === 1,
    ...split,
    offPlatform,
  };
}
