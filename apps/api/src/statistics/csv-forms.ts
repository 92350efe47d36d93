import type { CsvForm } from '../http/define-route.ts';
import { AD_COLUMNS, BLOG_COLUMNS, DAY_COLUMNS } from './csv-cells.ts';

const CELLS =
  'RFC 4180, UTF-8, always with this header line. An empty cell is null. Numbers are those of the JSON, digit by digit. ' +
  'A text that begins with `=`, `+`, `-`, `@`, a tab, a line break or an apostrophe has an apostrophe before it, so that no spreadsheet runs it.';

export const DAYS_CSV: CsvForm = {
  columns: DAY_COLUMNS,
  description: `A row for each collected day and \`dimension\`: \`total\` with an empty \`value\`, then the entries of the lists. ${CELLS}`,
};

export const AD_CSV: CsvForm = {
  columns: AD_COLUMNS,
  description: `One row; \`date\` is the range. ${CELLS}`,
};

export const BLOG_CSV: CsvForm = {
  columns: BLOG_COLUMNS,
  description:
    'A row for each figure: its number in `value`, its name in `metric`, and in `section` what it belongs to: `total`, `referer`, ' +
    `\`referer_detail\`, \`rank_pv\` or \`relation_dist\`. ${CELLS}`,
};
