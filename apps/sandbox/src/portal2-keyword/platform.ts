import type { Platform, SandboxOptions } from '../create-sandbox.ts';
import { type Call, type CallNote, json, type Reply } from '../http/call.ts';
import type { ChannelDeps } from '../http/channel.ts';
import { createAdsTeller } from '../truth/ads-teller.ts';
import type { AdsAccount } from '../world/ads-tree.ts';
import { badParameter, Refusal, tooManyCalls } from './answers.ts';
import { distortKeyword } from './distort.ts';
import {
  accountDetail,
  accountPages,
  adGroups,
  campaigns,
  creativeLinks,
  creatives,
  keywords,
  type ListScope,
} from './lists.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import { reportRows } from './report.ts';
import { REPORTS, type ReportLevel, readReportQuery } from './report-query.ts';
import { checkToken, tokenInfo } from './tokens.ts';
import { createKeywordWorld, type KeywordWorld, TRUTH_RULES } from './world.ts';

const BASE = '/openapi/v1/';
const TOKEN_INFO = '/v1/business/tokeninfo';
const REPORTS_PER_SECOND = 5;

const LISTS: Readonly<Record<string, (scope: ListScope) => Reply>> = {
  campaigns,
  adGroups,
  keywords,
  creativeLinks,
  'creatives/basic': creatives,
};

interface App {
  world: KeywordWorld;
  limit: RateLimit;
  now: () => number;
}

/** PORTAL2_KEYWORD: the platform's keyword advertising API, version 1. */
export function createPortal2Keyword(
  { seed, clock }: ChannelDeps,
  { scale = 1, callsPerHour }: SandboxOptions,
): Platform {
  const world = createKeywordWorld(seed, scale);
  const limit = createRateLimit(callsPerHour === 0 ? 0 : REPORTS_PER_SECOND);
  const app = { world, limit, now: clock.now };
  return {
    prefix: '/portal2-keyword',
    channel: {
      name: 'PORTAL2_KEYWORD',
      handle(call, note) {
        try {
          return answer(app, call, note);
        } catch (error) {
          if (error instanceof Refusal) return error.reply;
          throw error;
        }
      },
      distort: distortKeyword,
    },
    teller: createAdsTeller(world.accounts, world.facts, TRUTH_RULES),
  };
}

function answer(app: App, call: Call, note: CallNote): Reply {
  const path = call.path.startsWith(BASE) ? call.path.slice(BASE.length) : undefined;
  const report = Object.entries(REPORTS).find(([name]) => name === path)?.[1];
  note.kind = report ? 'insights' : call.path === TOKEN_INFO ? 'token' : 'tree';
  note.account = call.headers.adaccountid ?? null;
  checkToken(call);
  if (call.path === TOKEN_INFO) return tokenInfo();
  if (path === undefined || call.method !== 'GET') throw new Refusal(404, -2, 'Not Found');
  if (path === 'adAccounts/pages') return accountPages(app.world.accounts, call);
  const account = accountOf(app.world, call);
  if (report) return answerReport(app, account, { level: report, call, note });
  if (path === `adAccounts/${account.id}`) return accountDetail(account);
  const list = LISTS[path];
  if (!list) throw new Refusal(404, -2, 'Not Found');
  note.level = path;
  return list({ account, today: account.zone.dateAt(app.now()), call });
}

function accountOf(world: KeywordWorld, call: Call): AdsAccount {
  const id = call.headers.adaccountid;
  if (id === undefined) throw badParameter('adAccountId header is required');
  const account = world.accounts.find((one) => one.id === id);
  if (!account) throw new Refusal(403, -5, 'insufficient permission on the ad account.');
  return account;
}

interface ReportCall {
  level: ReportLevel;
  call: Call;
  note: CallNote;
}

function answerReport(
  { world, limit, now }: App,
  account: AdsAccount,
  { level, call, note }: ReportCall,
): Reply {
  note.level = level;
  if (!limit.take(account.id, now())) throw tooManyCalls();
  const query = readReportQuery(level, call, account.zone.dateAt(now()));
  note.since = query.start;
  note.until = query.end;
  note.breakdowns = query.dimension ? [query.dimension] : [];
  return json(200, { data: reportRows(world, account, query, now()) });
}
