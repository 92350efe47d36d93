import type { Fault } from '../control/faults.ts';
import { type Call, json, type Reply } from '../http/call.ts';
import { pageToken } from './page-token.ts';
import { isAggregation, readPerformanceQuery } from './performance-query.ts';
import { gatewayRefusal, tokenRefused, unknownError } from './refusal.ts';
import { refusedGrant } from './tokens.ts';

/** The faults that the platform tells in its own way; of a throttle it does not say how long. */
export function distortDisplay(
  fault: Fault,
  reply: Reply,
  call: Call,
  now: number,
): Reply | undefined {
  switch (fault.fault) {
    case 'throttle':
      return gatewayRefusal(429, '012', 'Rate limit exceeded. (speed)').reply;
    case 'error500':
      return unknownError().reply;
    case 'expired-token':
      return call.path === '/oauth2.0/token' ? refusedGrant() : tokenRefused().reply;
    case 'empty':
      return json(200, call.path.includes('/performance/') ? { rows: [] } : emptyPage());
    case 'repeated-page':
      return repeated(reply, call, now);
    default:
      return undefined;
  }
}

function emptyPage() {
  return {
    content: [],
    page: 0,
    size: 100,
    totalElements: 0,
    totalPages: 0,
    first: true,
    last: true,
  };
}

/** Statistics lead to the same page again; a numbered list never tells that it is the last. */
function repeated(reply: Reply, call: Call, now: number): Reply {
  if (reply.status !== 200) return reply;
  const body: Record<string, unknown> = JSON.parse(reply.body);
  if (!('rows' in body)) return json(200, { ...body, last: false });
  return json(200, { ...body, next: call.query.get('next') ?? firstPageToken(call, now) });
}

function firstPageToken(call: Call, now: number): string {
  const [, account = '', aggregation = ''] =
    /adAccounts\/(\d+)\/performance\/past\/(\w+)/.exec(call.path) ?? [];
  if (!isAggregation(aggregation)) throw new Error(`No statistics at ${call.path}`);
  const query = readPerformanceQuery(call.query, { account, aggregation });
  return pageToken({ ...query, offset: 0, at: now, issuedAt: now });
}
