import type { Fault } from '../control/faults.ts';
import { type Call, json, type Reply } from '../http/call.ts';
import { errorReply, MomentError, tooManyCalls } from './moment-error.ts';

/** The faults that the platform tells in its own way. */
export function distortDisplay(fault: Fault, reply: Reply, call: Call): Reply | undefined {
  switch (fault.fault) {
    case 'throttle':
      return errorReply(tooManyCalls());
    case 'error500':
      return json(500, { msg: 'internal server error', code: -1 });
    case 'expired-token': {
      const msg = 'this access token does not exist';
      return errorReply(new MomentError(401, { msg, code: -401 }));
    }
    case 'empty':
      return json(200, call.path.endsWith('/report') ? { data: [] } : { content: [] });
    case 'repeated-page':
      return json(reply.status, { ...JSON.parse(reply.body), last: false, totalPages: 9 });
    default:
      return undefined;
  }
}
