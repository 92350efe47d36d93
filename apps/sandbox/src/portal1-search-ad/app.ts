import type { Fault } from '../control/faults.ts';
import type { Platform } from '../create-sandbox.ts';
import { type Call, type CallNote, json, type Reply } from '../http/call.ts';
import type { Channel, ChannelDeps } from '../http/channel.ts';
import { createAdsTeller } from '../truth/ads-teller.ts';
import type { AdsAccount } from '../world/ads-tree.ts';
import { hash } from '../world/random.ts';
import { ApiError, badParameter, coded, notFound, tooManyRequests } from './api-error.ts';
import { authenticate, badSignature, createLimiter } from './auth.ts';
import { criterionDictionary, isList, listAdAccounts, listNodes } from './lists.ts';
import { createReports, downloadFailed, type Job, type Reports } from './reports.ts';
import { createWorld, type SearchAdWorld, truthRules } from './world.ts';

const NAME = 'PORTAL1_SEARCH_AD';

export interface SearchAdOptions {
  /** Multiplies the standing campaigns. */
  scale: number;
  /** Lifts the limits of calls a second. */
  isUnlimited: boolean;
}

/** The search advertising of portal 1, spoken as the platform speaks it. */
export function createSearchAd(deps: ChannelDeps, options: SearchAdOptions): Platform {
  const world = createWorld(deps.seed, options.scale);
  const { accounts, facts } = world;
  const reports = createReports({ facts, now: deps.clock.now });
  return {
    prefix: '/portal1-search-ad',
    channel: createChannel({ deps, world, reports, isUnlimited: options.isUnlimited }),
    teller: createAdsTeller(accounts, facts, truthRules(world)),
  };
}

interface Parts {
  deps: ChannelDeps;
  world: SearchAdWorld;
  reports: Reports;
  isUnlimited: boolean;
}

function createChannel({ deps, world, reports, isUnlimited }: Parts): Channel {
  const { now } = deps.clock;
  const limiter = createLimiter(now, isUnlimited);

  const route = (call: Call, note: CallNote): Reply => {
    const account = authenticate(call, world, now());
    note.account = account.id;
    const [first = '', second = '', third = '', ...more] = call.path.split('/').slice(1);
    const isReport = first === 'stat-reports' || first === 'report-download';
    note.kind = isReport ? reportKind(call.method, first, second) : 'tree';
    limiter.count(account.id, isReport ? 'reports' : 'general');
    if (first === 'stat-reports' && third === '') return onReports(call, note, account, second);
    if (call.method !== 'GET' || more.length > 0) throw notFound();
    const { query } = call;
    if (first === 'report-download' && second === '') return onDownload(query, account);
    if (first === 'ad-accounts' && second === '') return listAdAccounts(world.accounts, query);
    if (first === 'ncc' && isList(second) && third === '') {
      note.level = second;
      return listNodes(account, second, query, account.zone.dateAt(now()));
    }
    if (first === 'ncc' && second === 'criterion-dictionary' && third !== '') {
      return criterionDictionary(third);
    }
    throw notFound();
  };

  const onReports = (call: Call, note: CallNote, account: AdsAccount, id: string): Reply => {
    const told = (job: Job) => {
      note.level = job.type;
      note.since = note.until = job.date;
      return reports.told(job, call.baseUrl);
    };
    switch (`${call.method} ${id === '' ? 'all' : 'one'}`) {
      case 'POST all':
        if (call.headers['content-type']?.includes(',')) throw badParameter('Content-Type');
        return json(200, told(reports.create(account, call.body)));
      case 'GET all':
        return json(
          200,
          reports.list(account).map((job) => reports.told(job, call.baseUrl)),
        );
      case 'GET one': {
        const job = reports.find(account, id);
        reports.poll(job);
        return json(200, told(job));
      }
      case 'DELETE all':
      case 'DELETE one':
        reports.remove(account, id === '' ? undefined : id);
        return { status: 204, headers: {}, body: '' };
      default:
        throw notFound();
    }
  };

  const onDownload = (query: URLSearchParams, account: AdsAccount): Reply => {
    if (query.get('fileVersion') !== 'v2') throw downloadFailed();
    const body = reports.download(account, query.get('authtoken') ?? '');
    return { status: 200, headers: { 'content-type': 'text/tab-separated-values' }, body };
  };

  return {
    name: NAME,
    handle(call, note) {
      const id = hash(`${now()}${call.method}${call.path}`).toString(16);
      const transaction = { 'x-transaction-id': id };
      try {
        const reply = route(call, note);
        return { ...reply, headers: { ...reply.headers, ...transaction } };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const reply = error.reply();
        return { ...reply, headers: { ...reply.headers, ...transaction } };
      }
    },
    distort: (fault, reply, call) => distort(fault, reply, call, reports, world),
  };
}

function reportKind(method: string, first: string, second: string): string {
  if (first === 'report-download') return 'report-page';
  if (method === 'POST') return 'report-create';
  if (method === 'DELETE') return 'report-delete';
  return second === '' ? 'report-list' : 'report-poll';
}

/** The faults that the platform tells in its own way. */
function distort(
  fault: Fault,
  reply: Reply,
  { headers }: Call,
  reports: Reports,
  { accounts }: SearchAdWorld,
): Reply | undefined {
  switch (fault.fault) {
    case 'throttle':
      return tooManyRequests().reply();
    case 'error500':
      return coded(500, 500, 'Internal Server Error').reply();
    case 'expired-token':
      return badSignature(headers['x-signature'] ?? '').reply();
    case 'empty':
      return { ...reply, status: 200, body: reply.body.startsWith('[') ? '[]' : '' };
    case 'failed-run': {
      const account = accounts.find(({ id }) => id === headers['x-customer']);
      if (reply.status !== 200 || account === undefined) return reply;
      reports.find(account, String(JSON.parse(reply.body).reportJobId)).failed = true;
      return reply;
    }
    case 'repeated-page':
      return reply; // A key-set page has no way to come again but for a client that asks again.
    default:
      return undefined;
  }
}
