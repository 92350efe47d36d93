import type { Fault } from '../control/faults.ts';
import { type Call, json, type Reply } from '../http/call.ts';
import { noSuchToken, Refusal, tooManyCalls } from './answers.ts';

/** The faults that the platform tells in its own way. */
export function distortKeyword(fault: Fault, reply: Reply, call: Call): Reply | undefined {
  switch (fault.fault) {
    case 'throttle':
      return fault.code === -10
        ? new Refusal(400, -10, 'API limit has been exceeded.').reply
        : tooManyCalls().reply;
    case 'error500':
      return new Refusal(500, -1, 'internal server error').reply;
    case 'expired-token':
      return noSuchToken().reply;
    case 'empty':
      return json(200, emptied(call.path));
    case 'repeated-page':
      return reply.status === 200 ? repeated(reply) : reply;
    default:
      return undefined;
  }
}

function emptied(path: string): unknown {
  if (path.endsWith('/report')) return { data: [] };
  const isPaged = /\/(pages|basic)$/.test(path);
  return isPaged ? { content: [], page: 0, size: 10, totalElements: 0, totalPages: 0 } : [];
}

/** Only some lists are paged: the same page again, with one more to come. */
function repeated(reply: Reply): Reply {
  const body = JSON.parse(reply.body);
  if (!Array.isArray(body.content)) return reply;
  return json(200, { ...body, page: 0, totalPages: body.totalPages + 1 });
}
