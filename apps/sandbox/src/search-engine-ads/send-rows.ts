import { sumAtoms } from '../truth/ads-truth.ts';
import { ATTRIBUTES, metricOf, nameOf, type Sums } from './fields.ts';
import { compare, fits, type Query } from './gaql.ts';
import type { Row } from './resources.ts';

/** A row as it is sent: nested by resource, names in lower camel case. */
export type SentRow = Record<string, unknown>;

/** Filters, orders and writes rows as the query says. */
export function sendRows(
  rows: ReadonlyMap<string, Row>,
  { query, today, asked }: { query: Query; today: string; asked: readonly string[] },
): SentRow[] {
  const valued = [...rows].map(([key, row]) => {
    const sums = sumAtoms(row.atoms);
    const values = asked.map(
      (field) => [field, fieldValue(field, { row, sums, key, today })] as const,
    );
    return { row, values: new Map(values) };
  });
  const kept = valued.filter(({ values }) =>
    query.where.every((one) => one.field === 'segments.date' || fits(one, values.get(one.field))),
  );
  kept.sort((a, b) => {
    for (const { field, isDescending } of query.orderBy) {
      const order = compare(String(a.values.get(field) ?? ''), String(b.values.get(field) ?? ''));
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  });
  return kept
    .slice(0, query.limit)
    .map(({ row, values }) => nested(query, row, (field) => values.get(field)));
}

function fieldValue(
  field: string,
  { row, sums, key, today }: { row: Row; sums: Sums; key: string; today: string },
) {
  if (field.startsWith('metrics.')) return metricOf(field, sums, key);
  if (field.startsWith('segments.')) return row.segments[field.slice('segments.'.length)];
  const [head = ''] = field.split('.');
  return field.endsWith('.resource_name') ? nameOf(head, row) : ATTRIBUTES[field]?.(row, today);
}

function nested(query: Query, row: Row, valueAt: (field: string) => unknown): SentRow {
  const sent: SentRow = {};
  const heads = new Set([query.from, ...query.select.map((field) => field.split('.')[0] ?? '')]);
  for (const head of heads) {
    if (head === 'metrics' || head === 'segments') sent[head] = {};
    else sent[camel(head)] = { resourceName: nameOf(head, row) };
  }
  for (const field of query.select) place(sent, field, valueAt(field));
  return sent;
}

export function place(sent: SentRow, field: string, value: unknown): void {
  if (value === undefined) return;
  const steps = field.split('.').map(camel);
  let at = sent;
  for (const step of steps.slice(0, -1)) {
    at[step] ??= {};
    at = at[step] as SentRow; // only objects are placed above a field
  }
  at[steps.at(-1) ?? ''] = value;
}

function camel(word: string): string {
  return word.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
