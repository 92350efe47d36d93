import { type Call, type CallNote, json, type Reply } from '../http/call.ts';
import type { Channel, ChannelDeps } from '../http/channel.ts';
import { type AdsAccount, type AdsNode, existsOn } from '../world/ads-tree.ts';
import { distortDisplay } from './distort.ts';
import { createCallGaps } from './limits.ts';
import { campaignJson, listAccounts, listNodes } from './lists.ts';
import {
  badParameter,
  errorReply,
  MomentError,
  noSuchObject,
  notPermitted,
} from './moment-error.ts';
import { listOf, type ReportKind, readReportQuery } from './report-query.ts';
import { reportRows } from './report-rows.ts';
import { appOf } from './tokens.ts';
import type { DisplayWorld } from './world.ts';

const BASE = '/openapi/v4';

type NodeList = 'campaigns' | 'adGroups' | 'ads';
const REPORTS: Readonly<Record<string, ReportKind & { nodes?: NodeList; pace: 'slow' | 'fast' }>> =
  {
    '/adAccounts/report': {
      level: 'AD_ACCOUNT',
      idParameter: 'adAccountId',
      idsMax: 5,
      pace: 'slow',
    },
    '/campaigns/report': {
      level: 'CAMPAIGN',
      idParameter: 'campaignId',
      idsMax: 5,
      nodes: 'campaigns',
      pace: 'slow',
    },
    '/adGroups/report': {
      level: 'AD_GROUP',
      idParameter: 'adGroupId',
      idsMax: 40,
      nodes: 'adGroups',
      pace: 'fast',
    },
    '/creatives/report': {
      level: 'CREATIVE',
      idParameter: 'creativeId',
      idsMax: 100,
      nodes: 'ads',
      pace: 'slow',
    },
  };

export interface DisplayDeps extends ChannelDeps, DisplayWorld {
  isLimited: boolean;
}

/** The display platform's API, spoken as the platform speaks it. */
export function createDisplayChannel(deps: DisplayDeps): Channel {
  const { accounts, clock } = deps;
  const gaps = createCallGaps(clock.now, deps.isLimited);

  /** The account that the header names. */
  const accountOf = (id: string | undefined, note: CallNote): AdsAccount => {
    if (id === undefined || id === '') throw badParameter('adAccountId: 필수 값입니다.');
    note.account = id;
    const account = accounts.find((one) => one.id === id);
    if (!account || account.isClosed) throw notPermitted(id);
    return account;
  };

  const report = (call: Call, note: CallNote, app: string): Reply => {
    const kind = REPORTS[call.path.slice(BASE.length)];
    if (!kind) throw badParameter(call.path);
    note.kind = 'insights';
    note.level = kind.level;
    note.breakdowns = listOf(call.query, 'dimension');
    note.since = call.query.get('start') ?? call.query.get('datePreset');
    note.until = call.query.get('end') ?? call.query.get('datePreset');
    const asked = listOf(call.query, kind.idParameter);
    const named = call.headers.adaccountid ?? (kind.nodes ? undefined : asked[0]);
    const account = accountOf(named, note);
    gaps.count(kind.pace, { app, account: account.id, ids: asked.length });
    const today = account.zone.dateAt(clock.now());
    const query = readReportQuery(call.query, kind, today);
    // Several accounts in one report are not simulated: each is asked for by itself.
    const known = kind.nodes
      ? account[kind.nodes].filter((one) => existsOn(one, today))
      : [account];
    const missing = query.ids.find((id) => !known.some((one) => one.id === id));
    if (missing !== undefined) throw noSuchObject(kind.idParameter, missing);
    const rows = reportRows(deps, account, { query, asked: kind.level, now: clock.now() });
    return json(200, { message: 'Success', data: rows });
  };

  const list = (call: Call, note: CallNote): Reply => {
    note.kind = 'tree';
    const [, first = '', second, ...more] = call.path.slice(BASE.length).split('/');
    if (first === 'adAccounts' && second === 'pages') return listAccounts(accounts, call.query);
    const account = accountOf(call.headers.adaccountid, note);
    const today = account.zone.dateAt(clock.now());
    const parent = (name: string, nodes: readonly AdsNode[]): AdsNode => {
      const id = call.query.get(name);
      if (!id) throw badParameter(`${name}: 필수 값입니다.`);
      return findNode(name, nodes, id, today);
    };
    if (first === 'campaigns' && second !== undefined && more.length === 0) {
      return campaignJson(findNode('campaign', account.campaigns, second, today), today);
    }
    if (second === undefined) {
      const children: Readonly<Record<string, () => readonly AdsNode[]>> = {
        campaigns: () => account.campaigns,
        adGroups: () => parent('campaignId', account.campaigns).children,
        creatives: () => parent('adGroupId', account.adGroups).children,
      };
      const nodes = children[first];
      if (nodes) return listNodes(nodes(), call.query, today);
    }
    throw new MomentError(404, { msg: `no such api ${call.path}`, code: -404 });
  };

  return {
    name: 'PORTAL2_DISPLAY',
    handle(call, note) {
      try {
        const app = appOf(call);
        if (call.method !== 'GET' || !call.path.startsWith(`${BASE}/`)) {
          throw new MomentError(404, { msg: `no such api ${call.path}`, code: -404 });
        }
        return call.path.endsWith('/report') ? report(call, note, app) : list(call, note);
      } catch (error) {
        if (error instanceof MomentError) return errorReply(error);
        throw error;
      }
    },
    distort: distortDisplay,
  };
}

function findNode(kind: string, nodes: readonly AdsNode[], id: string, today: string): AdsNode {
  const node = nodes.find((one) => one.id === id && existsOn(one, today));
  if (!node) throw noSuchObject(kind, id);
  return node;
}
