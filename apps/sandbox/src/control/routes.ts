import { z } from 'zod';
import { type Call, json, type Reply } from '../http/call.ts';
import { TRUTH_ACTIONS, TRUTH_LEVELS, tellSocialTruth } from '../truth/social-truth.ts';
import type { BlogWorld } from '../world/blog.ts';
import { datesOf, isDate } from '../world/days.ts';
import type { SocialFacts } from '../world/social-facts.ts';
import {
  effectiveStatusOn,
  existsOn,
  type SocialAccount,
  type SocialEntity,
  type SocialTree,
} from '../world/social-tree.ts';
import type { Clock } from './clock.ts';
import { FaultSchema, type Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';

export interface ControlDeps {
  clock: Clock;
  ledger: Ledger;
  faults: Faults;
  tree: SocialTree;
  facts: SocialFacts;
  blog: BlogWorld;
}

const TRUTH_DAYS_MAX = 400;

const ClockSchema = z.strictObject({
  now: z.int().min(0).optional(),
  advanceMs: z.int().min(0).optional(),
  frozen: z.boolean().optional(),
});
const LedgerQuerySchema = z.strictObject({
  since: z.coerce.number().int().min(0).default(0),
  channel: z.string().optional(),
});
const date = z.string().refine(isDate, 'expected YYYY-MM-DD');
const SocialTruthSchema = z.strictObject({
  channel: z.literal('SOCIAL_ADS'),
  account: z.string(),
  level: z.enum(TRUTH_LEVELS).default('account'),
  id: z.string().optional(),
  start: date,
  end: date,
  at: z.coerce.number().int().optional(),
  action: z.enum(TRUTH_ACTIONS).default('omni_purchase'),
});
const BlogTruthSchema = z.strictObject({
  channel: z.literal('PORTAL1_BLOG'),
  start: date,
  end: date,
  at: z.coerce.number().int().optional(),
});
const TruthSchema = z
  .discriminatedUnion('channel', [SocialTruthSchema, BlogTruthSchema])
  .refine(({ start, end }) => start <= end, 'end comes before start')
  .refine(
    ({ start, end }) => datesOf(start, end).length <= TRUTH_DAYS_MAX,
    `at most ${TRUTH_DAYS_MAX} days`,
  );

/** A refusal of the control endpoints. */
class ControlError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function parse<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new ControlError(400, z.prettifyError(parsed.error));
  return parsed.data;
}

function bodyOf(call: Call): unknown {
  try {
    return JSON.parse(call.body || '{}');
  } catch {
    throw new ControlError(400, 'The body is not JSON');
  }
}

function treeJson(tree: SocialTree, now: number): unknown[] {
  const entityJson = (node: SocialEntity, account: SocialAccount): Record<string, unknown> => {
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
      ...(node.kind === 'ad' ? {} : { [name]: below.map((one) => entityJson(one, account)) }),
    };
  };
  return tree.accounts.map((account) => ({
    id: account.id,
    title: account.name,
    currency: account.currency,
    zone: account.zone.name,
    campaigns: account.campaigns
      .filter((one) => existsOn(one, account.zone.dateAt(now)))
      .map((one) => entityJson(one, account)),
  }));
}

/** `/__sandbox/…`: clock, ledger, truth, tree and faults. Control calls are not in the ledger. */
export function createControl(deps: ControlDeps): (call: Call) => Reply {
  const { clock, ledger, faults, tree, facts, blog } = deps;
  const clockReply = (): Reply => json(200, { now: clock.now(), frozen: clock.isFrozen() });

  const truth = (call: Call): Reply => {
    const query = parse(TruthSchema, Object.fromEntries(call.query));
    const at = query.at ?? clock.now();
    if (query.channel === 'PORTAL1_BLOG')
      return json(200, { days: blog.days(query.start, query.end, at) });
    const account = tree.accounts.find((one) => one.id === query.account.replace(/^act_/, ''));
    if (account === undefined) throw new ControlError(404, `No account '${query.account}'`);
    return json(200, { days: tellSocialTruth(facts, { ...query, account, at, id: query.id }) });
  };

  const routes: Record<string, (call: Call) => Reply> = {
    'GET /health': () => json(200, { status: 'ok' }),
    'GET /clock': clockReply,
    'POST /clock': (call) => {
      clock.set(parse(ClockSchema, bodyOf(call)));
      return clockReply();
    },
    'GET /ledger': (call) => {
      const { since, channel } = parse(LedgerQuerySchema, Object.fromEntries(call.query));
      return json(200, { calls: ledger.read(since, channel) });
    },
    'DELETE /ledger': () => {
      ledger.clear();
      return json(200, { calls: [] });
    },
    'GET /truth': truth,
    'GET /tree': (call) => {
      parse(z.strictObject({ channel: z.literal('SOCIAL_ADS') }), Object.fromEntries(call.query));
      return json(200, { accounts: treeJson(tree, clock.now()) });
    },
    'GET /faults': () => json(200, { faults: faults.list() }),
    'POST /faults': (call) => json(201, { id: faults.add(parse(FaultSchema, bodyOf(call))) }),
    'DELETE /faults': () => {
      faults.clear();
      return json(200, { faults: [] });
    },
  };

  return (call) => {
    try {
      const route = routes[`${call.method} ${call.path}`];
      if (route === undefined)
        throw new ControlError(404, `No control at ${call.method} ${call.path}`);
      return route(call);
    } catch (error) {
      if (error instanceof ControlError) return json(error.status, { error: error.message });
      if (error instanceof RangeError) return json(400, { error: error.message });
      throw error;
    }
  };
}
