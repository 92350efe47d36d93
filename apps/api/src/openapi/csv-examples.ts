import { blogLines } from '../statistics/csv-blog.ts';
import { AD_COLUMNS, BLOG_COLUMNS, csvLine, DAY_COLUMNS } from '../statistics/csv-cells.ts';
import { createDayRows, metricCells } from '../statistics/csv-days.ts';
import { AD_EXAMPLES, BLOG_ANSWER, type Examples, statisticsExamples } from './examples.ts';

/** The examples of an answer of /data as tables: the same figures as those of its JSON. */
export function csvExamples(path: string): Examples {
  if (path === '/data/blog-portal1') {
    return { PORTAL1_BLOG: { value: csvLine(BLOG_COLUMNS) + blogLines(BLOG_ANSWER) } };
  }
  return path === '/data/ads'
    ? tablesOf(AD_EXAMPLES, (answer) => csvLine(AD_COLUMNS) + adLine(answer))
    : tablesOf(statisticsExamples(), (answer) => csvLine(DAY_COLUMNS) + dayLines(answer));
}

function tablesOf(examples: Examples, tableOf: (answer: unknown) => string): Examples {
  return Object.fromEntries(
    Object.entries(examples).map(([name, { value }]) => [name, { value: tableOf(value) }]),
  );
}

function adLine(answer: unknown): string {
  const { date, data } = answer as { date: string; data: object }; // an example of /data/ads
  return csvLine([date, metricCells(JSON.stringify(data))]);
}

function dayLines(answer: unknown): string {
  const rows = createDayRows();
  const lines = rows.add(Buffer.from(JSON.stringify(answer)));
  rows.end();
  return lines;
}
