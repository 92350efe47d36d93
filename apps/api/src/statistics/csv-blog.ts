import type { BlogStatistics } from '@tributary/shared';
import { BLOG_COLUMNS, csvLine, textCell } from './csv-cells.ts';

type BlogColumn = 'section' | 'metric' | 'rank' | 'title' | 'detail' | 'type' | 'written_date';
type BlogFigure = Partial<Record<BlogColumn, string>> & { value: number | string };

/** One row for each figure of a blog's answer, named as there: a table to filter by `section` and `metric`. */
export function blogLines({ date, data }: BlogStatistics): string {
  return figuresOf(data)
    .map((figure) => {
      const cells: Record<string, string> = { date, ...figure, value: String(figure.value) };
      return csvLine(BLOG_COLUMNS.map((column) => cells[column] ?? ''));
    })
    .join('');
}

function figuresOf(data: BlogStatistics['data']): BlogFigure[] {
  const { visit_pv_cnt, uv_cnt, visit_cnt, average_duration, referer, rank_pv, relation_dist } =
    data;
  const totals = { visit_pv_cnt, uv_cnt, visit_cnt, average_duration };
  return [
    ...namedFigures('total', totals),
    ...referer.flatMap(({ title, percent, detail }) => [
      { section: 'referer', metric: 'percent', title: textCell(title), value: percent },
      ...detail.map((part) => ({
        section: 'referer_detail',
        metric: 'percent',
        title: textCell(title),
        detail: textCell(part.title),
        value: part.percent,
      })),
    ]),
    ...rank_pv.map(({ rank, title, views, type, date }) => ({
      section: 'rank_pv',
      metric: 'views',
      rank: String(rank),
      title: textCell(title),
      type: textCell(type),
      written_date: textCell(date),
      value: views,
    })),
    ...namedFigures('relation_dist', relation_dist),
  ];
}

function namedFigures(section: string, figures: Readonly<Record<string, number>>): BlogFigure[] {
  return Object.entries(figures).map(([metric, value]) => ({ section, metric, value }));
}
