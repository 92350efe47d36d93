import { METRICS } from '@tributary/shared';

export const METRIC_COLUMNS = Object.keys(METRICS);

/** Columns of /data/adAccount, /data/campaign and /data/adGroup: one row for each total and each entry of a list. */
export const DAY_COLUMNS: readonly string[] = ['date', 'dimension', 'value', ...METRIC_COLUMNS];
/** Columns of /data/ads: one row. */
export const AD_COLUMNS: readonly string[] = ['date', ...METRIC_COLUMNS];
/** Columns of /data/blog-portal1: one row for each figure. */
export const BLOG_COLUMNS: readonly string[] = [
  'date',
  'section',
  'metric',
  'rank',
  'title',
  'detail',
  'type',
  'written_date',
  'value',
];

/** Cells that are ready, as one line of a table (RFC 4180). */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

/** What spreadsheets take for a formula, in both widths, and the apostrophe that marks a text. */
const MARKED = /^[=+\-@\t\r\n＝＋－＠']/;
const QUOTED = /[",\r\n]/;

/**
 * A text as a cell. One that a spreadsheet would run as a formula, or that begins with an apostrophe, gets an apostrophe
 * before it; whoever takes one off each text that has it has the text again. Numbers are no texts and stay as they are.
 */
export function textCell(text: string): string {
  const harmless = MARKED.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
