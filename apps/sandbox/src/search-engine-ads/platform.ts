import type { Platform } from '../create-sandbox.ts';
import type { Call, CallNote, Reply } from '../http/call.ts';
import { json } from '../http/call.ts';
import type { ChannelDeps } from '../http/channel.ts';
import { createAdsTeller } from '../truth/ads-teller.ts';
import type { AdsAccount } from '../world/ads-tree.ts';
import { createZone } from '../world/days.ts';
import { distortSearch } from './distort.ts';
import { denied, Failure, failureReply, invalid } from './failure.ts';
import { createOperations } from './operations.ts';
import { PACIFIC } from './resources.ts';
import { createSearch } from './search.ts';
import { checkToken, grantToken } from './tokens.ts';
import { createTruthRules } from './truth-rules.ts';
import { createSearchWorld, MANAGER_ID } from './world.ts';

export interface SearchEngineAdsOptions {
  /** Multiplies the standing campaigns; default 1. */
  scale?: number | undefined;
  /** Operations of the app and day; 0 = unlimited; default = the platform's basic access. */
  operationsPerDay?: number | undefined;
  /** Rows of one page; default = the platform's fixed 10,000. */
  pageRows?: number | undefined;
}

const VERSIONS = /^\/v(?:23|24|25|26)\//;
const SEARCH = /^\/v\d+\/customers\/(\d+)\/googleAds:(search|searchStream)$/;

/** SEARCH_ENGINE_ADS: the platform's REST dialect with its token endpoint at `/token`. */
export function createSearchEngineAds(
  deps: ChannelDeps,
  options: SearchEngineAdsOptions = {},
): Platform {
  const { now } = deps.clock;
  const { scale = 1, operationsPerDay = 15_000, pageRows = 10_000 } = options;
  const { accounts, facts } = createSearchWorld(deps.seed, scale);
  const operations = createOperations(now, createZone(PACIFIC), operationsPerDay);
  const search = createSearch({ now, accounts, facts, operations, pageRows });

  const route = (call: Call, note: CallNote): Reply => {
    checkToken(call, now());
    if (call.method === 'GET' && /^\/v\d+\/customers:listAccessibleCustomers$/.test(call.path)) {
      note.kind = 'tree';
      operations.count();
      const closed = accounts.filter(({ isClosed }) => isClosed).map(({ id }) => id);
      return json(200, { resourceNames: [MANAGER_ID, ...closed].map((id) => `customers/${id}`) });
    }
    const [, cid = '', method] = SEARCH.exec(call.path) ?? [];
    if (call.method !== 'POST' || method === undefined) throw unknownPath(call);
    note.account = cid;
    note.form = formOf(call);
    const root = rootOf(accounts, cid, call.headers['login-customer-id']);
    return search(call, note, root, method === 'searchStream');
  };

  return {
    prefix: '/search-engine-ads',
    teller: createAdsTeller(accounts, facts, createTruthRules()),
    channel: {
      name: 'SEARCH_ENGINE_ADS',
      handle(call, note) {
        if (call.path === '/token') {
          note.kind = 'token';
          return grantToken(call, now());
        }
        if (!VERSIONS.test(call.path)) return notFoundPage(call);
        try {
          return route(call, note);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          const isStream = call.path.endsWith(':searchStream');
          return failureReply(error.init, `${now()}${call.path}${call.body}`, isStream);
        }
      },
      distort: (fault, reply, call) => distortSearch(fault, reply, { call, now: now() }),
    },
  };
}

/** Who is asked, when the user of the token may ask it: clients are reached through the manager only. */
function rootOf(
  accounts: readonly AdsAccount[],
  cid: string,
  login: string | undefined,
): AdsAccount | 'manager' {
  if (login !== undefined && !/^\d{10}$/.test(login)) {
    const text = `The login customer ID '${login}' is not a valid customer ID.`;
    throw invalid({ headerError: 'INVALID_LOGIN_CUSTOMER_ID' }, text);
  }
  const account = accounts.find(({ id }) => id === cid);
  if (account?.isClosed) {
    const text =
      "The customer account can't be accessed because it is not yet enabled or has been deactivated.";
    throw denied('CUSTOMER_NOT_ENABLED', text);
  }
  const isManager = cid === MANAGER_ID && (login === undefined || login === MANAGER_ID);
  if (isManager) return 'manager';
  if (account && login === MANAGER_ID) return account;
  const text =
    "User doesn't have permission to access customer. Note: If you're accessing a client customer, the manager's customer id must be set in the 'login-customer-id' header.";
  throw denied('USER_PERMISSION_DENIED', text);
}

function unknownPath(call: Call): Failure {
  const message = `Method not found: ${call.method} ${call.path}`;
  return new Failure({ status: 404, word: 'NOT_FOUND', message });
}

/** Versions that are gone are answered by the web server and not by the platform. */
function notFoundPage(call: Call): Reply {
  const headers = { 'content-type': 'text/html; charset=UTF-8' };
  return {
    status: 404,
    headers,
    body: `<!DOCTYPE html><title>Error 404</title><p>The requested URL <code>${call.path.replace(/[<>&]/g, '')}</code> was not found on this server.`,
  };
}

function formOf(call: Call): [string, string][] {
  try {
    return Object.entries(JSON.parse(call.body) as object).map(([key, value]) => [
      key,
      String(value),
    ]);
  } catch {
    return [];
  }
}
