import type { CallNote, Reply } from '../http/call.ts';
import { json } from '../http/call.ts';
import {
  ancestorOf,
  existsOn,
  type SocialAccount,
  type SocialEntity,
  type SocialKind,
} from '../world/social-tree.ts';
import { badParameter } from './graph-error.ts';
import { accountJson, creativeJson, entityJson, pickFields } from './nodes.ts';
import { cutPage, pageJson } from './paging.ts';
import { jsonParam, listParam, type Params } from './params.ts';

const EDGES: Record<string, SocialKind> = {
  campaigns: 'campaign',
  adsets: 'adset',
  ads: 'ad',
  adcreatives: 'ad',
};

interface ListFilter {
  field: string;
  operator: string;
  value: unknown;
}

function isFilter(value: unknown): value is ListFilter {
  return typeof value === 'object' && value !== null && 'field' in value && 'operator' in value;
}

function filtersOf(params: Params): ListFilter[] {
  const given = jsonParam(params, 'filtering') ?? [];
  if (!Array.isArray(given) || !given.every(isFilter)) {
    throw badParameter('param filtering must be an array of {field, operator, value}');
  }
  const statuses = listParam(params, 'effective_status');
  const byStatus = { field: 'effective_status', operator: 'IN', value: statuses };
  return statuses.length === 0 ? given : [...given, byStatus];
}

function passes(whole: Record<string, unknown>, kind: SocialKind, filter: ListFilter): boolean {
  const [prefix, name = prefix] = filter.field.split('.');
  const field = prefix !== name && prefix !== kind && name === 'id' ? `${prefix}_id` : name;
  const value = whole[field ?? ''];
  if (typeof value !== 'string')
    throw badParameter(`filtering field '${filter.field}' is not valid`);
  const wanted = (Array.isArray(filter.value) ? filter.value : [filter.value]).map(String);
  switch (filter.operator.toUpperCase()) {
    case 'IN':
    case 'EQUAL':
      return wanted.includes(value);
    case 'NOT_IN':
    case 'NOT_EQUAL':
      return !wanted.includes(value);
    case 'GREATER_THAN':
      return Date.parse(value) / 1000 > Number(wanted[0]);
    case 'LESS_THAN':
      return Date.parse(value) / 1000 < Number(wanted[0]);
    default:
      throw badParameter(`filtering operator '${filter.operator}' is not valid`);
  }
}

/** `/me/adaccounts`: without `fields` both ids come, which clients rely on. */
export function listAccounts(
  accounts: SocialAccount[],
  params: Params,
  now: number,
  url: string,
): Reply {
  const page = cutPage(accounts, 'adaccounts', params);
  const fields = listParam(params, 'fields');
  const items = page.items.map((account) =>
    pickFields(accountJson(account, now), fields, ['account_id']),
  );
  return json(200, pageJson({ ...page, items }, url, params));
}

/** True for the lists that hang on an account or an entity. */
export function isEdge(name: string, node: SocialEntity | undefined): boolean {
  const kinds: SocialKind[] = ['campaign', 'adset', 'ad'];
  const kind = EDGES[name];
  return (
    kind !== undefined && (node === undefined || kinds.indexOf(kind) > kinds.indexOf(node.kind))
  );
}

/** Campaigns, ad sets, ads or creatives; archived and deleted ones only when a status filter names them. */
export function listEntities(
  target: { account: SocialAccount; node: SocialEntity | undefined; edge: string },
  params: Params,
  today: string,
  note: CallNote,
  url: string,
): Reply {
  const { account, node, edge } = target;
  const kind = EDGES[edge] ?? 'ad';
  note.level = kind;
  const filters = filtersOf(params);
  const asksForStatus = filters.some((filter) => filter.field.endsWith('effective_status'));
  const present = account[`${kind}s`].filter((one) => {
    if (!existsOn(one, today)) return false;
    if (node !== undefined && ancestorOf(one, node.kind) !== node) return false;
    const whole = entityJson(one, today);
    const isGone = whole.effective_status === 'ARCHIVED' || whole.effective_status === 'DELETED';
    return (asksForStatus || !isGone) && filters.every((filter) => passes(whole, kind, filter));
  });
  const page = cutPage(
    present,
    `${node?.id ?? account.id}/${edge}/${JSON.stringify(filters)}`,
    params,
  );
  const fields = listParam(params, 'fields');
  const items = page.items.map((one) =>
    pickFields(edge === 'adcreatives' ? creativeJson(one) : entityJson(one, today), fields, []),
  );
  return json(200, pageJson({ ...page, items }, url, params));
}
