import { json, type Reply } from '../http/call.ts';
import {
  type AdsAccount,
  type AdsNode,
  existsOn,
  isRemovedOn,
  isSwitchedOn,
} from '../world/ads-tree.ts';
import { badParameter } from './moment-error.ts';
import { campaignTypeOf } from './world.ts';

type Config = 'ON' | 'OFF' | 'DEL';
const CONFIGS: readonly string[] = ['ON', 'OFF', 'DEL'];

/** The states asked for; without the parameter deleted objects are left out. */
function configsOf(query: URLSearchParams): readonly string[] {
  const asked = query.get('config')?.split(',') ?? ['ON', 'OFF'];
  const unknown = asked.find((config) => !CONFIGS.includes(config));
  if (unknown !== undefined) throw badParameter(`config=${unknown}`);
  return asked;
}

function configOf(node: AdsNode, today: string): Config {
  if (isRemovedOn(node, today)) return 'DEL';
  return isSwitchedOn(node, today) ? 'ON' : 'OFF';
}

/** Lists tell no more than id, name and state; there are no pages. */
export function listNodes(nodes: readonly AdsNode[], query: URLSearchParams, today: string): Reply {
  const configs = configsOf(query);
  const content = nodes
    .filter((node) => existsOn(node, today))
    .map((node) => ({ id: Number(node.id), name: node.name, config: configOf(node, today) }))
    .filter(({ config }) => configs.includes(config));
  return json(200, { content });
}

export function campaignJson(campaign: AdsNode, today: string): Reply {
  return json(200, {
    id: Number(campaign.id),
    name: campaign.name,
    config: configOf(campaign, today),
    campaignTypeGoal: { campaignType: campaignTypeOf(campaign), goal: 'CONVERSION' },
    dailyBudgetAmount: 50_000,
  });
}

const PAGE_SIZE = 10;

/** The ad accounts, page by page from 0. */
export function listAccounts(accounts: readonly AdsAccount[], query: URLSearchParams): Reply {
  const configs = configsOf(query);
  const [page, size] = [wholeOf(query, 'page', 0), wholeOf(query, 'size', PAGE_SIZE)];
  const all = accounts
    .map(({ id, name, isClosed }) => ({ id: Number(id), name, config: isClosed ? 'DEL' : 'ON' }))
    .filter(({ config }) => configs.includes(config));
  const content = all.slice(page * size, (page + 1) * size);
  const totalPages = Math.ceil(all.length / size);
  return json(200, {
    content,
    totalElements: all.length,
    totalPages,
    last: page + 1 >= totalPages,
    first: page === 0,
    number: page,
    size,
    numberOfElements: content.length,
  });
}

function wholeOf(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name) ?? String(otherwise);
  if (!/^\d{1,4}$/.test(text) || (name === 'size' && Number(text) === 0)) {
    throw badParameter(`${name}=${text}`);
  }
  return Number(text);
}
