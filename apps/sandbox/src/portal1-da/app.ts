import type { Platform } from '../create-sandbox.ts';
import { type Call, type CallNote, json, type Reply } from '../http/call.ts';
import type { Channel, ChannelDeps } from '../http/channel.ts';
import { createAdsTeller } from '../truth/ads-teller.ts';
import type { DisplayWorld } from '../world/display.ts';
import { distortDisplay } from './distort.ts';
import { accountJson, isListName, listReply, managerJson, managerTreeReply } from './lists.ts';
import { createMembers } from './members.ts';
import { pageReply } from './pages.ts';
import { createPerformance } from './performance.ts';
import { isAggregation } from './performance-query.ts';
import { apiRefusal, badRequest, Refusal } from './refusal.ts';
import { createSpeed } from './speed.ts';
import { answerToken, checkToken } from './tokens.ts';
import { DISPLAY_TRUTH_RULES } from './truth-rules.ts';

export interface Portal1DaOptions {
  world: DisplayWorld;
  /** Calls per second; 0 = unlimited. */
  callsPerSecond: number;
}

const BASE = '/v1/ad-api/1.0/';

/** The display channel's API and its login server. */
export function createPortal1Da(
  deps: ChannelDeps,
  { world, callsPerSecond }: Portal1DaOptions,
): Platform {
  const now = deps.clock.now;
  const members = createMembers(deps.seed, world);
  const performance = createPerformance({ world, members, now });
  const speed = createSpeed(callsPerSecond);

  const readAccount = (call: Call, note: CallNote, no: string): Reply => {
    note.account = no;
    return json(200, accountJson(members.checkAccess(call, no)));
  };

  const readManager = (call: Call, no: string): Reply => {
    const manager = members.managers.find((one) => one.no === no);
    if (manager === undefined || call.headers.accessmanageraccountno !== no) {
      const description = `No permission for the manager account (${no}).`;
      throw apiRefusal(403, { code: 'AUTH_ERROR', message: 'Forbidden', description });
    }
    return managerTreeReply(manager);
  };

  const readBelowAccount = (
    call: Call,
    note: CallNote,
    { no, part, rest }: { no: string; part: string; rest: string[] },
  ): Reply => {
    const [tense, aggregation = '', ...more] = rest;
    if (part === '') return readAccount(call, note, no);
    if (part === 'performance' && tense === 'past' && more.length === 0) {
      if (isAggregation(aggregation)) return performance(call, note, no, aggregation);
      throw badRequest(`aggregationType (${aggregation})`);
    }
    if (rest.length > 0 || !isListName(part)) throw notFound(call);
    note.account = no;
    note.level = part;
    const account = members.checkAccess(call, no);
    return listReply(account, part, call.query, account.zone.dateAt(now()));
  };

  const readApi = (call: Call, note: CallNote): Reply => {
    const [root, no, part = '', ...rest] = call.path.slice(BASE.length).split('/');
    note.kind = 'tree';
    if (root === 'managerAccounts') {
      if (no === undefined) return pageReply(call.query, members.managers, managerJson);
      if (part === '') return readManager(call, no);
    }
    if (root === 'adAccounts') {
      if (no === undefined) return pageReply(call.query, [world.owned], accountJson);
      return readBelowAccount(call, note, { no, part, rest });
    }
    throw notFound(call);
  };

  const channel: Channel = {
    name: 'PORTAL1_DA',
    handle(call, note) {
      try {
        if (call.path === '/oauth2.0/token') {
          note.kind = 'token';
          const form = new Map([...call.query, ...new URLSearchParams(call.body)]);
          if (call.method === 'POST') note.form = form;
          return answerToken(form, now());
        }
        speed.check();
        checkToken(call, now());
        if (call.method !== 'GET' || !call.path.startsWith(BASE)) {
          throw notFound(call);
        }
        return readApi(call, note);
      } catch (error) {
        if (error instanceof Refusal) return error.reply;
        throw error;
      }
    },
    distort: (fault, reply, call) => distortDisplay(fault, reply, call, now()),
  };
  return {
    prefix: '/portal1-da',
    channel,
    teller: createAdsTeller(world.accounts, world.facts, DISPLAY_TRUTH_RULES),
  };
}

function notFound({ method, path }: Call): Refusal {
  const description = `${method} ${path}`;
  return apiRefusal(404, { code: 'BAD_REQUEST', message: 'Not Found', description });
}
