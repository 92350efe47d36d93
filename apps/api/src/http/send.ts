import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PROBLEMS } from '@tributary/shared';
import { type ProblemError, problemBody } from './problem.ts';
import { type Bytes, Reply } from './reply.ts';
import type { TakeTurn } from './turns.ts';

/** On every answer. Nothing here is a page, so nothing may be loaded, framed or guessed. */
const COMMON_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Up to this length a body leaves in one system call. */
const CORKED_BYTES = 2 * 1024 * 1024;
/** About how much of a longer body leaves at once. */
const PIECE_BYTES = 256 * 1024;

/** However slowly a client takes its answer: after this time what is held for it is given up. */
const ANSWER_MS = 15 * 60_000;

const CACHE_CONTROL = 'private, no-cache';

/** Sends what a handler answered; a long body in pieces, each when `takeTurn` lets it. */
export async function sendAnswer(
  res: ServerResponse,
  { requestId, takeTurn }: { requestId: string; takeTurn: TakeTurn },
  answer: unknown,
): Promise<void> {
  const reply = answer instanceof Reply ? answer : new Reply({ data: answer });
  const headers: Record<string, string | number> = {
    ...COMMON_HEADERS,
    'X-Request-Id': requestId,
    'Cache-Control': CACHE_CONTROL,
    ...reply.headers,
    ...varyOf(res, reply.headers),
  };
  if (reply.bytes) {
    headers['Content-Type'] = reply.bytes.type;
    if (reply.bytes.length !== undefined) headers['Content-Length'] = reply.bytes.length;
    res.writeHead(reply.status, headers);
    return sendBytes(res, reply.bytes, takeTurn);
  }
  if (reply.data === undefined) {
    res.writeHead(reply.status, headers).end();
    return;
  }
  // As text, a body leaves together with its headers in one write.
  const body = JSON.stringify(reply.data);
  headers['Content-Type'] = 'application/json';
  headers['Content-Length'] = Buffer.byteLength(body);
  res.writeHead(reply.status, headers).end(body);
}

export function sendProblem(res: ServerResponse, requestId: string, problem: ProblemError): void {
  const body = problemBody(problem, requestId);
  const headers = { ...problemHeaders(problem, requestId, body), ...varyOf(res, problem.headers) };
  res.writeHead(PROBLEMS[problem.problem].status, headers).end(body);
}

/** The headers of an error, for those too who have no response to write them to. */
export function problemHeaders(
  problem: ProblemError,
  requestId: string,
  body: string,
): Record<string, string | number> {
  return {
    ...COMMON_HEADERS,
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    ...problem.headers,
  };
}

/** What the answer varies by, together with what was set before it was known. */
function varyOf(res: ServerResponse, { Vary }: Reply['headers']): { Vary?: string } {
  const before = res.getHeader('Vary');
  return before === undefined || Vary === undefined ? {} : { Vary: `${Vary}, ${String(before)}` };
}

async function sendBytes(
  res: ServerResponse,
  { length = 0, chunks }: Bytes,
  takeTurn: TakeTurn,
): Promise<void> {
  if (res.req.method === 'HEAD') {
    res.end();
    return;
  }
  if (Symbol.asyncIterator in chunks || length > CORKED_BYTES) {
    return sendInTurns(res, chunks, takeTurn);
  }
  if (length > PIECE_BYTES) await takeTurn();
  // Corked, the chunks leave in one system call without being copied together.
  res.cork();
  for (const chunk of chunks) res.write(chunk);
  res.end();
}

/** To copy a long answer to the kernel in one go would hold up all other answers. */
async function sendInTurns(
  res: ServerResponse,
  chunks: Bytes['chunks'],
  takeTurn: TakeTurn,
): Promise<void> {
  const tooSlow = setTimeout(() => res.destroy(), ANSWER_MS).unref();
  res.once('close', () => clearTimeout(tooSlow));
  let written = PIECE_BYTES; // nothing before the first turn
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      const piece = chunk.subarray(start, start + PIECE_BYTES);
      if (written + piece.length > PIECE_BYTES) {
        await takeTurn();
        written = 0;
      }
      if (res.destroyed) return; // the client is gone
      written += piece.length;
      if (!res.write(piece)) await drained(res);
    }
  }
  res.end();
}

/** Resolves when the client took what was written, or is gone; the server's idle timeout ends a client that stalls. */
async function drained(res: ServerResponse): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  } finally {
    done.abort();
  }
}
