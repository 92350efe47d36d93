import type { Reply } from '../http/call.ts';
import { json } from '../http/call.ts';
import {
  type AdsAccount,
  type AdsNode,
  existsOn,
  isRemovedOn,
  isSwitchedOn,
} from '../world/ads-tree.ts';
import type { Manager } from './members.ts';
import { flagOf, pageReply } from './pages.ts';

const CREATED = '2022-01-03T01:23:45Z';

export function accountJson(account: AdsAccount): Record<string, unknown> {
  return {
    no: Number(account.id),
    name: account.name,
    role: 'READ_ONLY',
    disabled: account.isClosed ?? false,
    createdAt: CREATED,
    updatedAt: CREATED,
  };
}

/** A manager account as the list of the login's own tells it: nothing of what lies below. */
export function managerJson({ no, name }: Manager): Record<string, unknown> {
  const times = { createdAt: CREATED, updatedAt: CREATED };
  return { no: Number(no), name, role: 'MASTER', disabled: false, ...times };
}

/** A manager account with all that lies below; ad accounts are there by number only. */
export function managerTreeReply(manager: Manager): Reply {
  const treeJson = ({ no, name, children, accounts }: Manager): Record<string, unknown> => ({
    no: Number(no),
    name,
    disabled: false,
    childManagerAccounts: children.map(treeJson),
    childAdAccountNos: accounts.map(({ id }) => Number(id)),
  });
  return json(200, treeJson(manager));
}

export const LISTS = {
  campaigns: { kind: 'campaign', rowsName: 'content' },
  adSets: { kind: 'adGroup', rowsName: 'content' },
  creatives: { kind: 'ad', rowsName: 'contents' },
} as const;
export type ListName = keyof typeof LISTS;

export function isListName(text: string): text is ListName {
  return Object.hasOwn(LISTS, text);
}

/** Campaigns, ad sets or creatives: without the deleted ones, or with `deleteOnly=true` only those. */
export function listReply(
  account: AdsAccount,
  list: ListName,
  query: URLSearchParams,
  today: string,
): Reply {
  const { kind, rowsName } = LISTS[list];
  const wantsDeleted = flagOf(query, 'deleteOnly') ?? false;
  const activated = flagOf(query, 'activated');
  const nodes = account[`${kind}s`].filter(
    (node) =>
      existsOn(node, today) &&
      isRemovedOn(node, today) === wantsDeleted &&
      (activated === undefined || isSwitchedOn(node, today) === activated),
  );
  return pageReply(query, nodes, (node) => nodeJson(node, today), rowsName);
}

function nodeJson(node: AdsNode, today: string): Record<string, unknown> {
  const common = {
    no: Number(node.id),
    name: node.name,
    activated: isSwitchedOn(node, today),
    deleted: isRemovedOn(node, today),
  };
  const { parent } = node;
  switch (node.kind) {
    case 'campaign': {
      const objective = node.children.length === 0 ? 'SHOPPING' : 'CONVERSION';
      return { ...common, adAccountNo: Number(node.account.id), objective };
    }
    case 'adGroup':
      return { ...common, campaignNo: Number(parent?.id), campaignName: parent?.name };
    default:
      return {
        ...common,
        adSetNo: Number(parent?.id),
        adSetName: parent?.name,
        campaignNo: Number(parent?.parent?.id),
        creativeType: 'SINGLE_IMAGE',
        status: 'ACCEPT',
      };
  }
}
