import { json, type Reply } from '../http/call.ts';
import {
  type AdsAccount,
  type AdsKind,
  type AdsNode,
  existsOn,
  isRemovedOn,
  isSwitchedOn,
} from '../world/ads-tree.ts';
import { badParameter, titled } from './api-error.ts';
import { isBrandSearch, isNameless, REGION_NAMES } from './world.ts';

const RECORDS_MAX = 1_000;

/** `GET /ad-accounts`: the accounts that the key's owner reaches. */
export function listAdAccounts(accounts: readonly AdsAccount[], query: URLSearchParams): Reply {
  const size = whole(query, 'size', 20, RECORDS_MAX);
  const page = whole(query, 'page', 0, 1_000);
  const content = accounts.slice(page * size, (page + 1) * size).map((account) => {
    const no = 10_000 + Number(account.id);
    const { id, name, currency, zone } = account;
    const adAccount = {
      no,
      name,
      currency,
      timezone: zone.name,
      masterCustomerId: Number(id),
      deleted: false,
      disabled: false,
    };
    return { adAccountNo: no, adAccount, roleName: 'MASTER' };
  });
  const totalPages = Math.ceil(accounts.length / size);
  return json(200, {
    content,
    totalElements: accounts.length,
    totalPages,
    number: page,
    size,
    first: page === 0,
    last: page >= totalPages - 1,
    numberOfElements: content.length,
    empty: content.length === 0,
  });
}

interface ListRule {
  kind: AdsKind;
  /** The parameter that names the object above. */
  parent?: string;
  isPaged: boolean;
  toJson(node: AdsNode, today: string): Record<string, unknown>;
}

const LISTS: Readonly<Record<string, ListRule>> = {
  campaigns: { kind: 'campaign', isPaged: true, toJson: campaignJson },
  adgroups: { kind: 'adGroup', parent: 'nccCampaignId', isPaged: true, toJson: adGroupJson },
  ads: { kind: 'ad', parent: 'nccAdgroupId', isPaged: false, toJson: adJson },
  keywords: { kind: 'keyword', parent: 'nccAdgroupId', isPaged: true, toJson: keywordJson },
};

export function isList(name: string): boolean {
  return name in LISTS;
}

/** `GET /ncc/<list>`: by ids, removed objects included, or page by page without them. */
export function listNodes(
  account: AdsAccount,
  name: string,
  query: URLSearchParams,
  today: string,
): Reply {
  const rule = LISTS[name];
  if (rule === undefined) throw titled(404, 1001, 'Cannot find the requested resource.');
  const all = account[`${rule.kind}s`].filter((node) => existsOn(node, today));
  const ids = query.get('ids')?.split(',');
  const nodes =
    ids === undefined
      ? pageOf(rule, all, query, today)
      : all.filter(
          (node) => ids.includes(node.id) && !(rule.kind === 'keyword' && isNameless(node)),
        );
  return json(
    200,
    nodes.map((node) => ({ customerId: Number(account.id), ...rule.toJson(node, today) })),
  );
}

/** Sorted by id; the page begins after `baseSearchId`. */
function pageOf(
  { parent, isPaged }: ListRule,
  all: AdsNode[],
  query: URLSearchParams,
  today: string,
): AdsNode[] {
  const above = parent === undefined ? undefined : query.get(parent);
  if (above === null) throw badParameter(parent ?? '');
  const nodes = all
    .filter(
      (node) => !isRemovedOn(node, today) && (above === undefined || node.parent?.id === above),
    )
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (!isPaged) return nodes;
  const size = whole(query, 'recordSize', RECORDS_MAX, RECORDS_MAX);
  if (size === 0) throw titled(400, 2024, 'Invalid record size');
  const base = query.get('baseSearchId');
  if (query.get('selector') === 'PREVIOUS') {
    return nodes.filter(({ id }) => base === null || id < base).slice(-size);
  }
  return nodes.filter(({ id }) => base === null || id > base).slice(0, size);
}

/** `GET /ncc/criterion-dictionary/{type}`. */
export function criterionDictionary(type: string): Reply {
  if (type !== 'RL') return json(200, []);
  const entries = Object.entries(REGION_NAMES);
  return json(
    200,
    entries.map(([code, name]) => ({ type, dictionaryCode: `RL${code}`, name, delFlag: false })),
  );
}

function whole(query: URLSearchParams, name: string, fallback: number, most: number): number {
  const text = query.get(name) ?? String(fallback);
  if (!/^\d{1,6}$/.test(text) || Number(text) > most) throw badParameter(name);
  return Number(text);
}

function statusJson(node: AdsNode, today: string): Record<string, unknown> {
  const status = isRemovedOn(node, today)
    ? 'DELETED'
    : isSwitchedOn(node, today)
      ? 'ELIGIBLE'
      : 'PAUSED';
  return {
    status,
    statusReason: status,
    userLock: status === 'PAUSED',
    delFlag: status === 'DELETED',
    regTm: `${node.createdOn}T00:00:00.000Z`,
  };
}

function campaignJson(node: AdsNode, today: string): Record<string, unknown> {
  return {
    nccCampaignId: node.id,
    name: node.name,
    campaignTp: isBrandSearch(node) ? 'BRAND_SEARCH' : 'WEB_SITE',
    dailyBudget: 0,
    ...statusJson(node, today),
  };
}

function adGroupJson(node: AdsNode, today: string): Record<string, unknown> {
  const { id: nccAdgroupId, name, parent } = node;
  const nccCampaignId = parent?.id;
  return { nccAdgroupId, nccCampaignId, name, bidAmt: 300, ...statusJson(node, today) };
}

function adJson(node: AdsNode, today: string): Record<string, unknown> {
  const pc = { final: 'https://shop.example/' };
  return {
    nccAdId: node.id,
    nccAdgroupId: node.parent?.id,
    type: 'TEXT_45',
    ad: { headline: node.name, description: '…', pc, mobile: pc },
    ...statusJson(node, today),
  };
}

function keywordJson(node: AdsNode, today: string): Record<string, unknown> {
  return {
    nccKeywordId: node.id,
    keyword: node.name,
    nccAdgroupId: node.parent?.id,
    nccCampaignId: node.parent?.parent?.id,
    bidAmt: 70,
    ...statusJson(node, today),
  };
}
