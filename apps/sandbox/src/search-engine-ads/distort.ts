import type { Fault } from '../control/faults.ts';
import { type Call, json, type Reply } from '../http/call.ts';
import { exhausted, expiredToken, Failure, failureReply } from './failure.ts';
import { questionOf, tokenOf } from './paging.ts';
import { invalidGrant } from './tokens.ts';

const INTERNAL = new Failure({
  status: 500,
  word: 'INTERNAL',
  message: 'An internal error has occurred.',
  errorCode: { internalError: 'INTERNAL_ERROR' },
});

/** The faults that the platform tells in its own way. */
export function distortSearch(
  fault: Fault,
  reply: Reply,
  { call, now }: { call: Call; now: number },
): Reply | undefined {
  const isStream = call.path.endsWith(':searchStream');
  const isToken = call.path === '/token';
  const refuse = ({ init }: Failure) => failureReply(init, `${call.path}${fault.fault}`, isStream);
  switch (fault.fault) {
    case 'throttle':
      return refuse(exhausted(Math.ceil(fault.waitSeconds), 'ACCOUNT'));
    case 'error500':
      return refuse(INTERNAL);
    case 'expired-token':
      return isToken ? invalidGrant() : refuse(expiredToken());
    case 'empty':
      return json(200, isStream ? [{ fieldMask: '' }] : { fieldMask: '' }, reply.headers);
    case 'repeated-page':
      return repeated(reply, call, now);
    default:
      return undefined;
  }
}

/** The page names itself as the next one. */
function repeated(reply: Reply, call: Call, now: number): Reply {
  const body: unknown = JSON.parse(reply.body);
  if (reply.status !== 200 || typeof body !== 'object' || Array.isArray(body)) return reply;
  const { query, pageToken } = JSON.parse(call.body) as { query?: string; pageToken?: string };
  const nextPageToken = pageToken ?? tokenOf({ offset: 0, at: now }, questionOf(call, query ?? ''));
  return json(200, { ...body, nextPageToken }, reply.headers);
}
