import type { Fault } from '../control/faults.ts';
import { type Call, json, type Reply } from '../http/call.ts';
import { errorReply, tokenError } from './graph-error.ts';
import type { Runs } from './runs.ts';
import { useCaseHeader } from './usage.ts';

function accountIn(reply: Reply): string {
  const header = reply.headers['x-business-use-case-usage'];
  return Object.keys(header === undefined ? {} : JSON.parse(header))[0] ?? '0';
}

function throttle(fault: Fault, reply: Reply, trace: string): Reply {
  const minutes = Math.ceil(fault.waitSeconds / 60);
  // Code 17 comes while the usage headers still show nothing: only the code tells.
  const headers = {
    'x-business-use-case-usage': useCaseHeader(
      accountIn(reply),
      fault.code === 17 ? 0 : 100,
      minutes,
      fault.code === 80000,
    ),
  };
  const message = `(#${fault.code}) There have been too many calls from this ad-account. Please wait a bit and try again.`;
  return errorReply(
    { code: fault.code, subcode: 2446079, message, transient: true, headers },
    trace,
  );
}

/** The faults that the platform tells in its own way. */
export function distortSocial(
  fault: Fault,
  reply: Reply,
  call: Call,
  runs: Runs,
  now: number,
): Reply | undefined {
  const trace = `${now}${call.path}${fault.fault}`;
  switch (fault.fault) {
    case 'throttle':
      return throttle(fault, reply, trace);
    case 'error500':
      return errorReply(
        {
          status: 500,
          code: 1,
          subcode: 99,
          message: 'An unknown error occurred',
          transient: true,
        },
        trace,
      );
    case 'expired-token':
      return errorReply(
        tokenError(463, 'Error validating access token: Session has expired').init,
        trace,
      );
    case 'empty':
      return json(200, { data: [] }, reply.headers);
    case 'repeated-page': {
      if (reply.status !== 200) return reply;
      const body = JSON.parse(reply.body);
      const next = `${call.baseUrl}${call.path}?${call.query.toString()}`;
      return json(reply.status, { ...body, paging: { ...body.paging, next } }, reply.headers);
    }
    case 'failed-run': {
      if (reply.status !== 200) return reply;
      const run = runs.find(String(JSON.parse(reply.body).report_run_id), now);
      if (run !== undefined) run.failed = true;
      return reply;
    }
    default:
      return undefined;
  }
}
