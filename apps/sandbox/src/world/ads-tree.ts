import { createZone, daysBetween, type Zone } from './days.ts';
import { fraction, hash } from './random.ts';

export type AdsKind = 'campaign' | 'adGroup' | 'ad' | 'keyword';

/** What tells one channel's world from another's. */
export interface AdsTreePlan {
  /** Part of every key of chance, so that no two channels are alike. */
  channel: string;
  accounts: readonly AdsAccountPlan[];
  /** The platform's form of an id, from a number that is unique enough to tell objects apart. */
  idOf(kind: AdsKind | 'account', n: number): string;
  /** Standing campaigns of every account. */
  campaigns: number;
  adGroupsPerCampaign: number;
  adsPerAdGroup: number;
  /** 0 for a channel without keywords. */
  keywordsPerAdGroup: number;
  /** Of the standing campaigns, the last so many have no ad groups that any report tells of. */
  campaignsWithoutAdGroups?: number;
  /** The year of the first seasonal campaigns; default 2023. A later one keeps the account small. */
  seasonsFrom?: number;
}

export interface AdsAccountPlan {
  name: string;
  zone: string;
  currency: string;
  /** Cancelled at the platform: it is listed and answers nothing. */
  isClosed?: boolean;
}

export interface AdsAccount extends Omit<AdsAccountPlan, 'zone'> {
  id: string;
  zone: Zone;
  campaigns: AdsNode[];
  adGroups: AdsNode[];
  ads: AdsNode[];
  keywords: AdsNode[];
  /** Whatever delivers: the ads, and the campaigns that have no ad groups. */
  leaves: AdsNode[];
}

export interface AdsNode {
  kind: AdsKind;
  id: string;
  name: string;
  account: AdsAccount;
  parent: AdsNode | undefined;
  children: AdsNode[];
  createdOn: string;
  /** The first day on which it is removed. */
  endedOn: string | undefined;
  /** It rests on the last 20 days out of every 80 from this day number on; undefined = never. */
  restsFrom: number | undefined;
}

const EPOCH = '2022-01-01';
const QUARTERS = { from: 2023, to: 2039 };
const REST = { period: 80, on: 60 };

type NodePlan = Pick<AdsNode, 'kind' | 'name' | 'parent'> &
  Partial<Pick<AdsNode, 'createdOn' | 'endedOn' | 'restsFrom'>>;

/**
 * Lays out all accounts of a seed for all times. Besides the standing campaigns each quarter brings one that is removed on
 * the first day of its third month, so at any time removed objects have delivered within the last 90 days.
 */
export function createAdsTree(seed: string, plan: AdsTreePlan): AdsAccount[] {
  return plan.accounts.map((accountPlan, index) => {
    const account: AdsAccount = {
      ...accountPlan,
      id: plan.idOf('account', hash(`${seed}/${plan.channel}/account/${index}`)),
      zone: createZone(accountPlan.zone),
      campaigns: [],
      adGroups: [],
      ads: [],
      keywords: [],
      leaves: [],
    };
    const grow = createGrower(seed, plan, account);
    for (let c = 0; c < plan.campaigns; c += 1) {
      const restsFrom = c % 3 === 2 ? hash(`${account.id}/${c}`) % REST.period : undefined;
      const campaign = grow({
        kind: 'campaign',
        name: `캠페인 ${c + 1}`,
        parent: undefined,
        restsFrom,
      });
      const isBare = c >= plan.campaigns - (plan.campaignsWithoutAdGroups ?? 0);
      if (isBare) account.leaves.push(campaign);
      else growAdGroups(plan, grow, campaign);
    }
    growQuarters(plan, grow);
    return account;
  });
}

function createGrower(seed: string, plan: AdsTreePlan, account: AdsAccount) {
  const ids = new Set<string>();
  return ({ parent, ...one }: NodePlan): AdsNode => {
    const path = `${seed}/${plan.channel}/${account.id}/${parent?.id ?? ''}/${one.kind}/${one.name}`;
    let n = hash(path);
    while (ids.has(`${one.kind}/${plan.idOf(one.kind, n)}`)) n += 1;
    const id = plan.idOf(one.kind, n);
    ids.add(`${one.kind}/${id}`);
    const node: AdsNode = {
      createdOn: parent?.createdOn ?? EPOCH,
      endedOn: parent?.endedOn,
      restsFrom: undefined,
      ...one,
      id,
      account,
      parent,
      children: [],
    };
    parent?.children.push(node);
    account[`${one.kind}s`].push(node);
    if (one.kind === 'ad') account.leaves.push(node);
    return node;
  };
}

function growAdGroups(
  plan: AdsTreePlan,
  grow: (one: NodePlan) => AdsNode,
  campaign: AdsNode,
): void {
  for (let g = 0; g < plan.adGroupsPerCampaign; g += 1) {
    const adGroup = grow({ kind: 'adGroup', name: `그룹 ${g + 1} “A/B”`, parent: campaign });
    for (let k = 0; k < plan.keywordsPerAdGroup; k += 1) {
      grow({ kind: 'keyword', name: `${WORDS[k % WORDS.length]} ${k + 1}`, parent: adGroup });
    }
    for (let a = 0; a < plan.adsPerAdGroup; a += 1) {
      grow({ kind: 'ad', name: `소재 ${a + 1}`, parent: adGroup });
    }
  }
}

const WORDS = ['운동화', 'running shoes', '러닝화 "할인"', 'trail, 남성', '신발 🏃'];

function growQuarters(plan: AdsTreePlan, grow: (one: NodePlan) => AdsNode): void {
  for (let year = plan.seasonsFrom ?? QUARTERS.from; year <= QUARTERS.to; year += 1) {
    for (let quarter = 0; quarter < 4; quarter += 1) {
      const month = (offset: number) => String(quarter * 3 + offset).padStart(2, '0');
      const campaign = grow({
        kind: 'campaign',
        name: `Season ${year} Q${quarter + 1}`,
        parent: undefined,
        createdOn: `${year}-${month(1)}-01`,
        endedOn: `${year}-${month(3)}-01`,
      });
      growAdGroups({ ...plan, adGroupsPerCampaign: 1, adsPerAdGroup: 1 }, grow, campaign);
    }
  }
}

/** True once it was created; what was removed still exists. */
export function existsOn(node: AdsNode, date: string): boolean {
  return node.createdOn <= date;
}

export function isRemovedOn(node: AdsNode, date: string): boolean {
  return node.endedOn !== undefined && node.endedOn <= date;
}

/** Its own switch: true while it is on. */
export function isSwitchedOn(node: AdsNode, date: string): boolean {
  if (!existsOn(node, date) || isRemovedOn(node, date)) return false;
  if (node.restsFrom === undefined) return true;
  return (daysBetween(EPOCH, date) + node.restsFrom) % REST.period < REST.on;
}

/** Whether a leaf delivers on a day: by its own switch, those above it, and a quiet day now and then. */
export function deliversOn(leaf: AdsNode, date: string): boolean {
  for (let node: AdsNode | undefined = leaf; node !== undefined; node = node.parent) {
    if (!isSwitchedOn(node, date)) return false;
  }
  return !leaf.account.isClosed && fraction(`quiet/${leaf.id}/${date}`) >= 0.05;
}

/** The node of a kind that a leaf belongs to, itself included; undefined where it has none. */
export function ancestorOf(leaf: AdsNode, kind: AdsKind): AdsNode | undefined {
  let node: AdsNode | undefined = leaf;
  while (node !== undefined && node.kind !== kind) node = node.parent;
  return node;
}
