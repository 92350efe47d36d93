import type { SegmentGroup } from './social-segments.ts';

/** Positions of the additive metrics inside a cell. Spend is counted in the currency's minor unit. */
export const IMPRESSIONS = 0;
export const CLICKS = 1;
export const LINK_CLICKS = 2;
export const SPEND = 3;
export const METRIC_COUNT = 4;

/** The cell of the hour list for clicks whose hour the platform does not tell. */
export const NO_HOUR = 24;
/** Figures of a day move until so many days after it have passed in full. */
export const RESTATED_DAYS = 28;

export type AttributionWindow = '1d_click' | '7d_click' | '28d_click' | '1d_view' | '1d_ev';

export interface Purchase {
  place: 'pixel' | 'onsite';
  window: AttributionWindow;
  valueMinor: number;
}

/** Something that is reported after the fact: a late click with its cost, or a purchase. */
export interface LateEvent {
  /** Whole hours after local midnight of its day at which the platform begins to report it. */
  atHour: number;
  clicks: number;
  spend: number;
  purchase: Purchase | undefined;
  /** Its cell in each group; in `hour` the local hour or `NO_HOUR`. */
  cell: Record<SegmentGroup | 'hour', number>;
}

/** All that will ever be true of one ad on one local day. */
export interface Fact {
  /** Figures of each real hour of the day, `METRIC_COUNT` each. */
  slots: Int32Array;
  /** The local hour of each slot. */
  hours: number[];
  events: LateEvent[];
  /** Cumulated whole weights by which each group splits the day. */
  weights: Record<SegmentGroup, number[]>;
}

/** What is reported of one ad and day at one moment. */
export interface AdDay {
  total: Int32Array;
  /** `METRIC_COUNT` figures for each cell of the group, in the order of the account's segments. */
  cells: Record<SegmentGroup | 'hour', Int32Array>;
  purchases: LateEvent[];
}
