import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as yieldTurn } from 'node:timers/promises';
import { PROBLEMS } from '@tributary/shared';
import { type ProblemError, problemBody } from './problem.ts';
import { type Bytes, Reply } from './reply.ts';

/** On every answer. Nothing here is a page, so nothing may be loaded, framed or guessed. */
const COMMON_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Up to this length a body leaves in one system call. */
const CORKED_BYTES = 2 * 1024 * 1024;

const CACHE_CONTROL = 'private, no-cache';

/** Sends what a handler answered. */
export async function sendAnswer(
  res: ServerResponse,
  requestId: string,
  answer: unknown,
): Promise<void> {
  const reply = answer instanceof Reply ? answer : new Reply({ data: answer });
  const headers: Record<string, string | number> = {
    ...COMMON_HEADERS,
    'X-Request-Id': requestId,
    'Cache-Control': CACHE_CONTROL,
    ...reply.headers,
  };
  if (reply.bytes) return sendBytes(res, reply.status, headers, reply.bytes);
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
  res
    .writeHead(PROBLEMS[problem.problem].status, {
      ...COMMON_HEADERS,
      'X-Request-Id': requestId,
      'Cache-Control': 'no-store',
      'Content-Type': 'application/problem+json',
      'Content-Length': Buffer.byteLength(body),
      ...problem.headers,
    })
    .end(body);
}

async function sendBytes(
  res: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
  { type, length, chunks }: Bytes,
): Promise<void> {
  headers['Content-Type'] = type;
  headers['Content-Length'] = length;
  res.writeHead(status, headers);
  if (res.req.method === 'HEAD') {
    res.end();
    return;
  }
  if (Symbol.asyncIterator in chunks) return sendStream(res, chunks);
  if (length > CORKED_BYTES) return sendStream(res, inTurns(chunks));
  // Corked, the chunks leave in one system call without being copied together.
  res.cork();
  for (const chunk of chunks) res.write(chunk);
  res.end();
}

/** To copy a long answer to the kernel in one go would hold up all other answers. */
async function* inTurns(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    yield chunk;
    if (chunk.length > CORKED_BYTES / 10) await yieldTurn();
  }
}

async function sendStream(res: ServerResponse, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    if (res.destroyed) return; // the client is gone
    if (!res.write(chunk)) await drained(res);
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
