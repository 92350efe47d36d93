import { sumAtoms } from '../truth/ads-truth.ts';
import type { AdsFacts } from '../world/ads-facts.ts';
import { type AdsAccount, type AdsNode, existsOn, isSwitchedOn } from '../world/ads-tree.ts';
import { createZone, datesOf } from '../world/days.ts';
import { fraction } from '../world/random.ts';
import { invalid } from './failure.ts';
import {
  ATTRIBUTES,
  BESIDE,
  isMetric,
  KIND_OF_RESOURCE,
  metricOf,
  nameOf,
  type Sums,
} from './fields.ts';
import { compare, dateRange, fits, type Query } from './gaql.ts';
import {
  createPublication,
  type Kind,
  nodesOf,
  PACIFIC,
  RESOURCES,
  type Resource,
  type Row,
  segmentOf,
} from './resources.ts';

/** A row as it is sent: nested by resource, names in lower camel case. */
export type SentRow = Record<string, unknown>;

export interface Question {
  account: AdsAccount;
  query: Query;
  /** The moment whose figures are told. */
  at: number;
}

/** Answers queries about an account's campaigns and statistics. */
export function createRows(facts: AdsFacts) {
  const isPublished = createPublication(createZone(PACIFIC));
  return ({ account, query, at }: Question): SentRow[] => {
    const resource = RESOURCES[query.from];
    if (!resource) throw badResource(query.from);
    const today = account.zone.dateAt(at);
    const asked = fieldsOf(query);
    check(query, resource, asked);
    const range = dateRange(query, today);
    const rows = isStatistics(asked)
      ? collect({ facts, account, at, resource, asked, range, isPublished })
      : listed(account, resource, today);
    return write(rows, { query, today, asked });
  };
}

export function badResource(from: string) {
  const message = `The resource '${from}' is not recognized in the FROM clause.`;
  return invalid({ queryError: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE' }, message);
}

function fieldsOf({ select, where, orderBy }: Query): string[] {
  return [
    ...new Set([...select, ...where.map((one) => one.field), ...orderBy.map((one) => one.field)]),
  ];
}

function isStatistics(asked: readonly string[]): boolean {
  return asked.some((field) => /^(metrics|segments)\./.test(field));
}

function check({ select, from, where, orderBy }: Query, resource: Resource, asked: string[]): void {
  for (const field of asked) {
    const [head = '', ...tail] = field.split('.');
    if (head === 'segments') {
      if (!resource.segments.includes(tail.join('.'))) throw prohibited(field, from);
    } else if (head === 'metrics') {
      if (!isMetric(field)) throw unrecognized(field);
    } else if (head !== from && !BESIDE[from]?.includes(head)) {
      throw prohibited(field, from);
    } else if (!(field in ATTRIBUTES) && tail.join('.') !== 'resource_name') {
      throw unrecognized(field);
    }
  }
  for (const { field } of [...where, ...orderBy]) {
    if (!field.startsWith('segments.') || field === 'segments.date' || select.includes(field))
      continue;
    const queryError = 'EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE';
    throw invalid(
      { queryError },
      `The following field must be present in SELECT clause: '${field}'.`,
    );
  }
}

function prohibited(field: string, from: string) {
  const queryError = field.startsWith('segments.')
    ? 'PROHIBITED_SEGMENT_IN_SELECT_OR_WHERE_CLAUSE'
    : 'PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE';
  return invalid(
    { queryError },
    `The field '${field}' cannot be used with the resource '${from}'.`,
  );
}

function unrecognized(field: string) {
  return invalid(
    { queryError: 'UNRECOGNIZED_FIELD' },
    `Unrecognized field in the query: '${field}'.`,
  );
}

interface Collecting {
  facts: AdsFacts;
  account: AdsAccount;
  at: number;
  resource: Resource;
  asked: readonly string[];
  range: { start: string; end: string } | undefined;
  isPublished: ReturnType<typeof createPublication>;
}

function collect(collecting: Collecting): Map<string, Row> {
  const { facts, account, at, resource, asked, isPublished } = collecting;
  const range = collecting.range ?? dateRangeUntil(account.zone.dateAt(at));
  const kinds = [
    ...resource.kinds,
    ...resource.kindsIfSelected.filter((kind) =>
      asked.some((field) => KIND_OF_RESOURCE[field.split('.')[0] ?? ''] === kind),
    ),
  ];
  const segments = asked
    .filter((field) => field.startsWith('segments.'))
    .map((field) => field.slice('segments.'.length));
  const rows = new Map<string, Row>();
  for (const date of datesOf(range.start, range.end)) {
    if (resource.isPublishedDaily && !isPublished(account.zone, date, at)) continue;
    for (const leaf of account.leaves) {
      for (const atom of facts.atoms(leaf, date, at)) {
        const nodes = nodesOf(atom);
        if (kinds.some((kind) => !nodes[kind])) continue;
        for (const view of resource.views(atom)) {
          const own = Object.fromEntries(
            segments.map((name) => [name, segmentOf(name, atom, view)]),
          );
          const { region: _, ...sent } = view;
          const key = [
            ...kinds.map((kind) => nodes[kind]?.id),
            ...Object.values(sent),
            ...Object.values(own),
          ].join('|');
          const row = rows.get(key);
          if (row) row.atoms.push(atom);
          else
            rows.set(key, {
              account,
              nodes: pick(nodes, kinds),
              view,
              segments: own,
              atoms: [atom],
            });
        }
      }
    }
    if (segments.join() === 'date') addZeroRows(rows, { account, date, at, resource });
  }
  return rows;
}

function dateRangeUntil(today: string): { start: string; end: string } {
  return { start: today, end: today };
}

function pick(nodes: Row['nodes'], kinds: readonly Kind[]): Row['nodes'] {
  return Object.fromEntries(kinds.map((kind) => [kind, nodes[kind]]));
}

/** Now and then an object that was on and did not deliver has a row of zeros. */
function addZeroRows(
  rows: Map<string, Row>,
  {
    account,
    date,
    at,
    resource,
  }: Pick<Collecting, 'account' | 'at' | 'resource'> & { date: string },
): void {
  const kind = resource.kinds.at(-1);
  if (!kind || kind === 'keyword' || resource.isPublishedDaily || date > account.zone.dateAt(at))
    return;
  for (const node of account[`${kind}s`]) {
    if (!isSwitchedOn(node, date) || fraction(`row/${node.id}/${date}`) < 0.5) continue;
    const nodes = lineOf(node);
    const key = [...resource.kinds.map((one) => nodes[one]?.id), date].join('|');
    if (!rows.has(key)) rows.set(key, { account, nodes, view: {}, segments: { date }, atoms: [] });
  }
}

function lineOf(node: AdsNode): Row['nodes'] {
  const nodes: Row['nodes'] = {};
  for (let one: AdsNode | undefined = node; one; one = one.parent) nodes[one.kind] = one;
  return nodes;
}

/** What exists, removed objects among it. */
function listed(account: AdsAccount, resource: Resource, today: string): Map<string, Row> {
  const kind = resource.kinds.at(-1);
  const nodes = kind ? account[`${kind}s`].filter((node) => existsOn(node, today)) : [undefined];
  return new Map(
    nodes.map((node) => [
      node?.id ?? account.id,
      { account, nodes: node ? lineOf(node) : {}, view: {}, segments: {}, atoms: [] },
    ]),
  );
}

function write(
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
