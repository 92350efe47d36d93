/** Columns of a file by position, from 0; what stands behind the last that is named is tolerated. */
export interface ReportLayout {
  campaign?: number;
  group?: number;
  keyword?: number;
  ad?: number;
  criterion?: number;
  hour?: number;
  region?: number;
  device: number;
  /** Delivery. */
  impressions?: number;
  clicks?: number;
  cost?: number;
  /** Conversions. */
  method?: number;
  type?: number;
  count?: number;
  sales?: number;
  /** So many columns from the left tell one row from another. */
  keyColumns: number;
  columnsMin: number;
}

const PLACE = { campaign: 2, group: 3, keyword: 4, ad: 5 };
const DETAIL_PLACE = { ...PLACE, hour: 7, region: 8 };

/**
 * The files have no header line. Newer ones have a column more at the end (the views of videos).
 * Facts: the platform's specification of stat reports, and its sample clients.
 */
export const REPORT_LAYOUTS = {
  AD: { ...PLACE, device: 8, impressions: 9, clicks: 10, cost: 11, keyColumns: 9, columnsMin: 13 },
  AD_DETAIL: {
    ...DETAIL_PLACE,
    device: 10,
    impressions: 11,
    clicks: 12,
    cost: 13,
    keyColumns: 11,
    columnsMin: 15,
  },
  AD_CONVERSION: {
    ...PLACE,
    device: 8,
    method: 9,
    type: 10,
    count: 11,
    sales: 12,
    keyColumns: 11,
    columnsMin: 13,
  },
  AD_CONVERSION_DETAIL: {
    ...DETAIL_PLACE,
    device: 10,
    method: 11,
    type: 12,
    count: 13,
    sales: 14,
    keyColumns: 13,
    columnsMin: 15,
  },
  CRITERION: {
    criterion: 2,
    device: 3,
    impressions: 4,
    clicks: 5,
    cost: 6,
    keyColumns: 4,
    columnsMin: 7,
  },
  CRITERION_CONVERSION: {
    criterion: 2,
    device: 3,
    method: 4,
    type: 5,
    count: 6,
    sales: 7,
    keyColumns: 6,
    columnsMin: 8,
  },
} as const satisfies Record<string, ReportLayout>;

export type ReportType = keyof typeof REPORT_LAYOUTS;
