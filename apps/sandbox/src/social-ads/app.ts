import { type Call, type CallNote, json, type Reply } from '../http/call.ts';
import { answerCall, type Channel, type ChannelDeps } from '../http/channel.ts';
import type { SocialFacts } from '../world/social-facts.ts';
import { existsOn, type SocialTree } from '../world/social-tree.ts';
import { answerBatch } from './batch.ts';
import { distortSocial } from './distort.ts';
import { errorReply, GraphError, unknownObject } from './graph-error.ts';
import { createInsights, type InsightTarget } from './insights.ts';
import { isEdge, listAccounts, listEntities } from './lists.ts';
import { accountJson, creativeId, creativeJson, entityJson, pickFields } from './nodes.ts';
import { listParam, type Params, readParams } from './params.ts';
import { createRuns } from './runs.ts';
import { checkToken, debugToken, exchangeToken, isAppToken } from './tokens.ts';
import { createUsage } from './usage.ts';

export interface SocialAdsDeps extends ChannelDeps {
  tree: SocialTree;
  facts: SocialFacts;
  requireProof: boolean;
  callsPerHour: number | undefined;
}

const VERSIONS = ['v24.0', 'v25.0', 'v26.0'];

/** The path without its version, in segments. */
function segmentsOfPath(path: string): string[] {
  const [first = '', ...rest] = path.split('/').filter((segment) => segment !== '');
  if (!/^v\d+\.\d+$/.test(first)) return first === '' ? [] : [first, ...rest];
  if (VERSIONS.includes(first)) return rest;
  throw new GraphError({
    code: 2635,
    message:
      '(#2635) You are calling a deprecated version of the Ads API. Please update to the latest version: v26.0.',
  });
}

/** The social network's API, spoken as the platform speaks it. */
export function createSocialAds(deps: SocialAdsDeps): Channel {
  const now = deps.clock.now;
  const runs = createRuns();
  const insights = createInsights({ facts: deps.facts, runs, now });
  const usage = createUsage(now, deps.callsPerHour);

  const ads = deps.tree.accounts.flatMap((account) => account.ads);
  const adByCreative = new Map(ads.map((ad) => [creativeId(ad), ad]));

  const targetOf = (id: string): InsightTarget | undefined => {
    const account = deps.tree.accounts.find((one) => `act_${one.id}` === id);
    if (account !== undefined) return { account, node: undefined };
    const node = deps.tree.byId.get(id);
    if (node === undefined || !existsOn(node, node.account.zone.dateAt(now()))) return undefined;
    return { account: node.account, node };
  };

  const onTarget = (
    call: Call,
    params: Params,
    note: CallNote,
    target: InsightTarget,
    edge: string,
    url: string,
  ): Reply => {
    const isInsights = edge === 'insights';
    note.account = target.account.id;
    note.kind = 'tree';
    usage.count(target.account, isInsights);
    const today = target.account.zone.dateAt(now());
    const answer = (): Reply => {
      if (isInsights && call.method === 'POST') return insights.createRun(params, target, note);
      if (call.method !== 'GET') throw unknownObject(call.method, url.split('/').pop() ?? '');
      if (isInsights) return insights.read(params, target, note, url);
      if (isEdge(edge, target.node))
        return listEntities({ ...target, edge }, params, today, note, url);
      if (edge !== '')
        throw new GraphError({
          code: 100,
          message: `(#100) Tried accessing nonexisting field (${edge})`,
        });
      const whole =
        target.node === undefined
          ? accountJson(target.account, now())
          : entityJson(target.node, today);
      const fields = listParam(params, 'fields');
      return json(200, pickFields(whole, fields, target.node === undefined ? ['account_id'] : []));
    };
    const reply = answer();
    return {
      ...reply,
      headers: { ...reply.headers, ...usage.headers(target.account, isInsights) },
    };
  };

  const onRun = (params: Params, note: CallNote, id: string, edge: string, url: string): Reply => {
    const run = runs.find(id, now());
    if (run === undefined) throw unknownObject('GET', id);
    const { account } = run.query;
    usage.count(account, true);
    const reply =
      edge === 'insights'
        ? insights.readRun(run, params, note, url)
        : insights.pollRun(run, params, note);
    return { ...reply, headers: { ...reply.headers, ...usage.headers(account, true) } };
  };

  const route = (call: Call, note: CallNote): Reply => {
    const params = readParams(call);
    if (call.method !== 'GET') note.form = params;
    // Clients may override the method of a POST, as long questions do not fit into a URL.
    const method =
      call.method === 'POST' && params.get('method')?.toUpperCase() === 'GET' ? 'GET' : call.method;
    const [id = '', edge = '', ...more] = segmentsOfPath(call.path);
    const url = `${call.baseUrl}${call.path}`;
    if (id === 'oauth' && edge === 'access_token') {
      note.kind = 'token';
      return exchangeToken(params, now());
    }
    const isDebug = id === 'debug_token';
    if (!isDebug || !isAppToken(call, params)) {
      checkToken(call, params, now(), deps.requireProof);
    }
    if (id === '' && params.has('batch')) {
      note.kind = 'batch';
      note.form = [];
      return answerBatch(call, params, (part) => answerCall(channel, deps, part));
    }
    if (isDebug) {
      note.kind = 'token';
      return debugToken(params, now());
    }
    if (more.length > 0) throw unknownObject(method, more.join('/'));
    if (id === 'me') {
      note.kind = 'tree';
      if (edge === 'adaccounts') return listAccounts(deps.tree.accounts, params, now(), url);
      if (edge === '') return json(200, { id: '100000000000077', name: 'Sandbox User' });
    }
    const target = targetOf(id);
    if (target !== undefined) return onTarget({ ...call, method }, params, note, target, edge, url);
    const ad = edge === '' ? adByCreative.get(id) : undefined;
    if (ad !== undefined && existsOn(ad, ad.account.zone.dateAt(now()))) {
      note.kind = 'tree';
      note.account = ad.account.id;
      return json(200, pickFields(creativeJson(ad), listParam(params, 'fields'), []));
    }
    if (edge === '' || edge === 'insights') {
      note.kind = edge === '' ? 'report-poll' : 'report-page';
      return onRun(params, note, id, edge, url);
    }
    throw unknownObject(method, id);
  };

  const channel: Channel = {
    name: 'SOCIAL_ADS',
    handle(call, note) {
      try {
        return route(call, note);
      } catch (error) {
        if (error instanceof GraphError) return errorReply(error.init, `${now()}${call.path}`);
        throw error;
      }
    },
    distort: (fault, reply, call) => distortSocial(fault, reply, call, runs, now()),
  };
  return channel;
}
