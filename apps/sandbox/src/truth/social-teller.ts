import { z } from 'zod';
import { ControlError } from '../control/parse.ts';
import type { SocialFacts } from '../world/social-facts.ts';
import {
  effectiveStatusOn,
  existsOn,
  type SocialAccount,
  type SocialEntity,
  type SocialTree,
} from '../world/social-tree.ts';
import { TRUTH_ACTIONS, tellSocialTruth } from './social-truth.ts';
import { ADS_FIELDS, parseRange, type TruthTeller } from './truth-teller.ts';

const QuestionSchema = z.strictObject({
  ...ADS_FIELDS,
  action: z.enum(TRUTH_ACTIONS).default('omni_purchase'),
});

/** Tells the tree and the truth of the social channel. */
export function createSocialTeller(tree: SocialTree, facts: SocialFacts): TruthTeller {
  return {
    tree: (now) =>
      tree.accounts.map((account) => ({
        id: account.id,
        title: account.name,
        currency: account.currency,
        zone: account.zone.name,
        campaigns: account.campaigns
          .filter((one) => existsOn(one, account.zone.dateAt(now)))
          .map((one) => entityJson(one, account, now)),
      })),
    truth(query, now) {
      const { at = now, ...question } = parseRange(QuestionSchema, query);
      const account = tree.accounts.find((one) => one.id === question.account.replace(/^act_/, ''));
      if (account === undefined) throw new ControlError(404, `No account '${question.account}'`);
      return tellSocialTruth(facts, { ...question, account, at, id: question.id });
    },
  };
}

function entityJson(
  node: SocialEntity,
  account: SocialAccount,
  now: number,
): Record<string, unknown> {
  const today = account.zone.dateAt(now);
  const nodes = node.kind === 'campaign' ? account.adsets : account.ads;
  const below =
    node.kind === 'ad' ? [] : nodes.filter((one) => one.parent === node && existsOn(one, today));
  const name = node.kind === 'campaign' ? 'adGroups' : 'ads';
  return {
    id: node.id,
    title: node.name,
    effectiveStatus: effectiveStatusOn(node, today),
    createdOn: node.createdOn,
    endedOn: node.endedOn ?? null,
    ...(node.kind === 'ad' ? {} : { [name]: below.map((one) => entityJson(one, account, now)) }),
  };
}
