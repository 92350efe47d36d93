import { z } from 'zod';
import { ControlError } from '../control/parse.ts';
import type { AdsFacts } from '../world/ads-facts.ts';
import {
  type AdsAccount,
  type AdsNode,
  existsOn,
  isRemovedOn,
  isSwitchedOn,
} from '../world/ads-tree.ts';
import { type AdsTruthRules, tellAdsTruth } from './ads-truth.ts';
import { ADS_FIELDS, parseRange, type TruthTeller } from './truth-teller.ts';

const QuestionSchema = z.strictObject(ADS_FIELDS);

/** Tells the tree and the truth of a channel whose world is made of atoms. */
export function createAdsTeller(
  accounts: readonly AdsAccount[],
  facts: AdsFacts,
  rules: AdsTruthRules,
): TruthTeller {
  return {
    tree: (now) => accounts.map((account) => accountJson(account, now)),
    truth(query, now) {
      const { account: id, at = now, ...question } = parseRange(QuestionSchema, query);
      const account = accounts.find((one) => one.id === id);
      if (account === undefined) throw new ControlError(404, `No account '${id}'`);
      return tellAdsTruth(facts, rules, { ...question, account, at, id: question.id });
    },
  };
}

function accountJson(account: AdsAccount, now: number): Record<string, unknown> {
  const today = account.zone.dateAt(now);
  return {
    id: account.id,
    title: account.name,
    currency: account.currency,
    zone: account.zone.name,
    isClosed: account.isClosed ?? false,
    campaigns: account.campaigns
      .filter((one) => existsOn(one, today))
      .map((one) => nodeJson(one, today)),
  };
}

const BELOW = { campaign: 'adGroups', adGroup: 'ads' } as const;

function nodeJson(node: AdsNode, today: string): Record<string, unknown> {
  const { id, name: title, createdOn, endedOn = null, kind } = node;
  const children = node.children
    .filter((one) => one.kind !== 'keyword' && existsOn(one, today))
    .map((one) => nodeJson(one, today));
  return {
    id,
    title,
    status: isRemovedOn(node, today) ? 'removed' : isSwitchedOn(node, today) ? 'on' : 'off',
    createdOn,
    endedOn,
    ...(kind === 'campaign' || kind === 'adGroup' ? { [BELOW[kind]]: children } : {}),
  };
}
