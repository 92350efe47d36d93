import type { BlogDay } from '@tributary/shared';
import fc from 'fast-check';
import { readExactly, readTable, textOfCell } from '../testing/read-table.ts';
import { combineBlogDays } from './blog.ts';
import { blogLines } from './csv-blog.ts';
import { BLOG_COLUMNS, csvLine } from './csv-cells.ts';

const count = fc.nat({ max: 1_000_000 });
const text = fc.oneof(
  fc.constantFrom('a,b', '"', '=1+1', "'", '👟\r\n', ''),
  fc.string({ unit: 'binary' }),
);
const blogDay: fc.Arbitrary<BlogDay> = fc.record({
  pageViews: count,
  visitors: count,
  visits: count,
  averageDurationSeconds: fc.nat({ max: 10_000 }).map((tenths) => tenths / 10),
  referrers: fc.array(
    fc.record({
      title: text,
      count,
      detail: fc.array(fc.record({ title: text, count }), { maxLength: 3 }),
    }),
    { maxLength: 4 },
  ),
  posts: fc.array(
    fc.record({
      id: fc.string(),
      title: text,
      views: count,
      type: text,
      writtenOn: fc.constantFrom('2026-10-01', '2026-10-02'),
    }),
    { maxLength: 12 },
  ),
  neighbours: fc.record({ mutual: count, oneWay: count, other: count }),
});

type Share = { title: string; percent: string };
interface Exactly {
  referer: (Share & { detail: Share[] })[];
  rank_pv: Record<string, string>[];
  relation_dist: Record<string, string>;
}

/** Every figure of the JSON with what it belongs to, as the table has to hold it. */
function expectedRows(date: string, json: string): Record<string, string>[] {
  const { referer, rank_pv, relation_dist, ...totals } = readExactly(json) as Exactly &
    Record<string, string>;
  const row = (cells: Record<string, string>) => ({
    ...Object.fromEntries(BLOG_COLUMNS.map((column) => [column, ''])),
    date,
    ...cells,
  });
  const named = (section: string, figures: Record<string, string>) =>
    Object.entries(figures).map(([metric, value]) => row({ section, metric, value }));
  return [
    ...named('total', totals),
    ...referer.flatMap(({ title, percent, detail }) => [
      row({ section: 'referer', metric: 'percent', title, value: percent }),
      ...detail.map((one) =>
        row({
          section: 'referer_detail',
          metric: 'percent',
          title,
          detail: one.title,
          value: one.percent,
        }),
      ),
    ]),
    ...rank_pv.map(({ date: written_date = '', views: value = '', ...post }) =>
      row({ section: 'rank_pv', metric: 'views', ...post, written_date, value }),
    ),
    ...named('relation_dist', relation_dist),
  ];
}

it('the table of a blog has every figure of the JSON with its place, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(blogDay, { minLength: 1, maxLength: 3 }), (days) => {
      const date = '2026-11-01/2026-11-03';
      const data = combineBlogDays(days);
      const rows = readTable(csvLine(BLOG_COLUMNS) + blogLines({ date, data })).map((row) => ({
        ...row,
        title: textOfCell(row.title),
        detail: textOfCell(row.detail),
        type: textOfCell(row.type),
      }));
      expect(rows).toEqual(expectedRows(date, JSON.stringify(data)));
    }),
  );
});
