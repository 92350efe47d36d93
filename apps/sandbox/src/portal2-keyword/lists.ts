import { type Call, json, type Reply } from '../http/call.ts';
import {
  type AdsAccount,
  type AdsNode,
  existsOn,
  isRemovedOn,
  isSwitchedOn,
} from '../world/ads-tree.ts';
import { badParameter, refusedByPlatform } from './answers.ts';
import { bizChannelIdOf, creativeIdOf, isTalkChannel } from './world.ts';

type Config = 'ON' | 'OFF' | 'DEL';

const PAGE_DEFAULT = 10;
const ACCOUNTS_PAGE_MAX = 100;
const CREATIVES_PAGE_MAX = 1_000;

/** One ad account's lists at a moment; `today` is the account's own date. */
export interface ListScope {
  account: AdsAccount;
  today: string;
  call: Call;
}

/** `GET /adAccounts/pages`: closed accounts only when they are asked for. */
export function accountPages(accounts: readonly AdsAccount[], call: Call): Reply {
  const wanted = configsOf(call);
  const found = accounts
    .map((account) => ({ account, config: account.isClosed ? 'DEL' : 'ON' }) as const)
    .filter(({ config }) => wanted.includes(config))
    .map(({ account: { id, name }, config }) => ({ id, name, memberType: 'MASTER', config }));
  return json(200, pageOf(found, call, { sizeName: 'size', sizeMax: ACCOUNTS_PAGE_MAX }));
}

/** `GET /adAccounts/{id}` */
export function accountDetail({ id, name, isClosed }: AdsAccount): Reply {
  const config = isClosed ? 'DEL' : 'ON';
  return json(200, { id, name, config, isAdminStop: false, isOutOfBalance: false });
}

/** `GET /campaigns` */
export function campaigns(scope: ListScope): Reply {
  const list = listed(scope, scope.account.campaigns).map(({ node, config }) => ({
    bizChannelId: bizChannelIdOf(scope.account),
    id: node.id,
    name: node.name,
    config,
    status: [config === 'ON' ? 'LIVE' : 'OFF_BY_SELF'],
    dailyBudgetAmount: 50_000,
  }));
  return json(200, list);
}

/** `GET /adGroups?campaignId` */
export function adGroups(scope: ListScope): Reply {
  const campaign = parentOf(scope, scope.account.campaigns, 'campaignId');
  const list = listed(scope, campaign.children).map(({ node, config }) => ({
    campaignId: campaign.id,
    id: node.id,
    name: node.name,
    config,
    deviceTypes: ['PC', 'MOBILE'],
  }));
  return json(200, list);
}

/** `GET /keywords?adGroupId` */
export function keywords(scope: ListScope): Reply {
  const adGroup = parentOf(scope, scope.account.adGroups, 'adGroupId');
  const below = adGroup.children.filter(({ kind }) => kind === 'keyword');
  const list = listed(scope, below).map(({ node, config }) => ({
    adGroupId: adGroup.id,
    id: node.id,
    text: node.name,
    config,
    bidStrategy: { bidAmount: 70 },
    reviewStatus: ['APPROVED'],
  }));
  return json(200, list);
}

/** `GET /creativeLinks?adGroupId`: which creative an ad group shows; the names are with the creatives. */
export function creativeLinks(scope: ListScope): Reply {
  const adGroup = parentOf(scope, scope.account.adGroups, 'adGroupId');
  const below = adGroup.children.filter(({ kind }) => kind === 'ad');
  const list = listed(scope, below).map(({ node, config }) => ({
    creativeLinkId: node.id,
    adGroupId: adGroup.id,
    creativeId: creativeIdOf(node),
    config,
    status: [config === 'ON' ? 'LIVE' : 'OFF_BY_SELF'],
  }));
  return json(200, list);
}

/** `GET /creatives/basic?bizChannelId` */
export function creatives(scope: ListScope): Reply {
  const { account, call, today } = scope;
  const bizChannelId = bizChannelIdOf(account);
  const asked = call.query.get('bizChannelId');
  if (asked === null) throw badParameter('bizChannelId is required');
  if (asked !== bizChannelId) throw refusedByPlatform(103_005, '없는 비즈채널입니다.');
  const found = account.ads
    .filter((link) => existsOn(link, today) && !isTalkChannel(link) && !isRemovedOn(link, today))
    .map((link) => ({ bizChannelId, id: creativeIdOf(link), name: link.name, config: 'ON' }));
  return json(200, pageOf(found, call, { sizeName: 'limit', sizeMax: CREATIVES_PAGE_MAX }));
}

function listed({ today, call }: ListScope, nodes: readonly AdsNode[]) {
  const wanted = configsOf(call);
  return nodes
    .filter((node) => existsOn(node, today) && !isTalkChannel(node))
    .map((node) => ({ node, config: configOf(node, today) }))
    .filter(({ config }) => wanted.includes(config));
}

function configOf(node: AdsNode, today: string): Config {
  if (isRemovedOn(node, today)) return 'DEL';
  return isSwitchedOn(node, today) ? 'ON' : 'OFF';
}

/** One word; without it everything that is not removed. */
function configsOf(call: Call): Config[] {
  const asked = call.query.get('config');
  if (asked === null) return ['ON', 'OFF'];
  if (asked === 'ON' || asked === 'OFF' || asked === 'DEL') return [asked];
  throw badParameter(`config: ${asked}`);
}

function parentOf({ call, today }: ListScope, nodes: readonly AdsNode[], name: string): AdsNode {
  const id = call.query.get(name);
  if (id === null) throw badParameter(`${name} is required`);
  const parent = nodes.find((one) => one.id === id && existsOn(one, today));
  if (!parent || isTalkChannel(parent)) throw refusedByPlatform(404, 'Not Found');
  return parent;
}

function pageOf<T>(all: readonly T[], call: Call, rule: { sizeName: string; sizeMax: number }) {
  const number = (name: string, fallback: number) => {
    const text = call.query.get(name) ?? String(fallback);
    if (!/^\d{1,9}$/.test(text)) throw badParameter(`${name}: ${text}`);
    return Number(text);
  };
  const page = number('page', 0);
  const size = number(rule.sizeName, PAGE_DEFAULT);
  if (size < 1 || size > rule.sizeMax) throw badParameter(`${rule.sizeName}: ${size}`);
  return {
    content: all.slice(page * size, (page + 1) * size),
    page,
    number: page,
    size,
    totalElements: all.length,
    totalPages: Math.ceil(all.length / size),
  };
}
