import type { AdsFacts } from '../world/ads-facts.ts';
import { type AdsAccount, type AdsNode, existsOn, isSwitchedOn } from '../world/ads-tree.ts';
import { datesOf } from '../world/days.ts';
import { fraction } from '../world/random.ts';
import { KIND_OF_RESOURCE } from './fields.ts';
import {
  type createPublication,
  type Kind,
  nodesOf,
  type Resource,
  type Row,
  segmentOf,
} from './resources.ts';

export interface Grouping {
  facts: AdsFacts;
  account: AdsAccount;
  at: number;
  resource: Resource;
  asked: readonly string[];
  range: { start: string; end: string } | undefined;
  isPublished: ReturnType<typeof createPublication>;
}

/** The rows of a statistics query by their keys: atoms that share resource and segments. */
export function groupAtoms(grouping: Grouping): Map<string, Row> {
  const { facts, account, at, resource, asked, isPublished } = grouping;
  const range = grouping.range ?? dateRangeUntil(account.zone.dateAt(at));
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
  { account, date, at, resource }: Pick<Grouping, 'account' | 'at' | 'resource'> & { date: string },
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
export function listObjects(
  account: AdsAccount,
  resource: Resource,
  today: string,
): Map<string, Row> {
  const kind = resource.kinds.at(-1);
  const nodes = kind ? account[`${kind}s`].filter((node) => existsOn(node, today)) : [undefined];
  return new Map(
    nodes.map((node) => [
      node?.id ?? account.id,
      { account, nodes: node ? lineOf(node) : {}, view: {}, segments: {}, atoms: [] },
    ]),
  );
}
