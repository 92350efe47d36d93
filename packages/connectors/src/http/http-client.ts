import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, RetryableError } from '@tributary/runtime';
import { type Dispatcher, request } from 'undici';
import { createDeadline } from './deadline.ts';
import { maskUrl } from './mask-url.ts';
import { type BodyLimits, readBody } from './read-body.ts';
import { readLines } from './read-lines.ts';
import { refuseRedirect } from './redirect.ts';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: URL;
  headers?: Record<string, string>;
  body?: string;
  /** The caller's own signal; when it aborts, its reason is thrown. */
  signal: AbortSignal;
  /** Whether the call may be repeated at once; default: only GET. */
  idempotent?: boolean;
}

export interface HttpAnswer {
  status: number;
  /** Lower-case names; a repeated header is joined with a comma. */
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
  /** Method and URL without its query, for messages. */
  place: string;
}

export interface HttpClientOptions {
  dispatcher: Dispatcher;
  /** For one call with its repeats and its whole body. */
  timeoutMs?: number;
  /** Decoded bytes. */
  bodyBytesMax?: number;
  /** Mean wait before a quick repeat. */
  repeatWaitMs?: number;
  /** Throws when a URL must not be called at all. */
  checkUrl?: (url: URL) => void;
  /** The same for a text that is read line by line. */
  linesTimeoutMs?: number;
  linesBytesMax?: number;
  /** True when a 5xx is the platform speaking in its own codes: then the connector's table decides. */
  isPlatformError?: (answer: HttpAnswer) => boolean;
}

export interface HttpClient {
  /**
   * One call. Redirects are never followed; broken connections and outages of idempotent calls are repeated twice.
   *
   * @throws FatalError for a redirect, RetryableError for outages, timeouts and bodies that are cut or too large
   */
  send(call: HttpRequest): Promise<HttpAnswer>;
  /**
   * One call whose successful answer is given line by line as it comes and not held: `text` is '' then. Nothing of the lines
   * may be used unless the call succeeds. Never repeated: lines would come twice.
   *
   * @throws as {@link send}; RetryableError `malformed_answer` for a body that does not say how it ends
   */
  lines(call: HttpRequest, onLines: (lines: readonly string[]) => void): Promise<HttpAnswer>;
}

const REPEATS = 2;

/** An HTTP client for platforms: nothing of a URL's query, a header or a body reaches an error message. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { timeoutMs = 30_000, linesTimeoutMs = 100_000 } = options;
  const { bodyBytesMax = 20_000_000, linesBytesMax = 500_000_000 } = options;
  return {
    send(call) {
      const repeats = (call.idempotent ?? call.method === 'GET') ? REPEATS : 0;
      const read: ReadAnswer = (body, limits) =>
        readBody(body, { ...limits, bytesMax: bodyBytesMax });
      return sendWithin(call, { ...options, timeoutMs, repeats, read });
    },
    lines(call, onLines) {
      const read: ReadAnswer = async (body, { status, headers, ...limits }) => {
        if (status >= 400) return await readBody(body, { ...limits, bytesMax: bodyBytesMax });
        if (!saysItsEnd(headers)) {
          const text = `Malformed answer of ${limits.place}: nothing tells whether it is whole`;
          throw new RetryableError('malformed_answer', text);
        }
        await readLines(body, { ...limits, bytesMax: linesBytesMax }, onLines);
        return '';
      };
      return sendWithin(call, { ...options, timeoutMs: linesTimeoutMs, repeats: 0, read });
    },
  };
}

/** Reads a body to its end; answers what of it becomes the answer's text. */
type ReadAnswer = (
  body: Readable,
  answer: Pick<HttpAnswer, 'status' | 'headers' | 'place'> & Pick<BodyLimits, 'encoding'>,
) => Promise<string>;

interface Sending extends HttpClientOptions {
  timeoutMs: number;
  /** How often an outage is tried again at once. */
  repeats: number;
  read: ReadAnswer;
}

/** A body that ends with its connection cannot be told from one that was cut; the compressed forms check themselves. */
function saysItsEnd(headers: HttpAnswer['headers']): boolean {
  const isCompressed = (headers['content-encoding'] ?? 'identity') !== 'identity';
  return isCompressed || ['content-length', 'transfer-encoding'].some((name) => headers[name]);
}

async function sendWithin(call: HttpRequest, options: Sending): Promise<HttpAnswer> {
  const { timeoutMs, repeats, repeatWaitMs = 250, checkUrl } = options;
  call.signal.throwIfAborted();
  checkUrl?.(call.url);
  const place = `${call.method} ${maskUrl(call.url)}`;
  const deadline = createDeadline(call.signal, timeoutMs, place);
  try {
    for (let repeat = 0; ; repeat += 1) {
      try {
        return await sendOnce(call, place, { ...options, signal: deadline.signal });
      } catch (error) {
        deadline.signal.throwIfAborted();
        if (repeat >= repeats || !isOutage(error)) throw error;
        const waitMs = repeatWaitMs * 2 ** repeat * (0.5 + Math.random());
        await wait(waitMs, undefined, { signal: deadline.signal }).catch(() => {});
        deadline.signal.throwIfAborted();
      }
    }
  } finally {
    deadline.clear();
  }
}

async function sendOnce(
  call: HttpRequest,
  place: string,
  options: Sending & { signal: AbortSignal },
): Promise<HttpAnswer> {
  const { dispatcher, signal, read, isPlatformError } = options;
  let answer: HttpAnswer;
  try {
    const res = await request(call.url, {
      dispatcher,
      signal,
      method: call.method,
      headers: { accept: 'application/json', 'accept-encoding': 'gzip, br', ...call.headers },
      body: call.body ?? null,
      headersTimeout: 0, // One timer covers everything; see createDeadline.
      bodyTimeout: 0,
    });
    res.body.on('error', () => {}); // Reading reports it; without a listener it would end the process.
    try {
      refuseRedirect(res.statusCode, place);
      const headers = flatHeaders(res.headers);
      const head = { status: res.statusCode, headers, place };
      const text = await read(res.body, { ...head, encoding: headers['content-encoding'] });
      answer = { ...head, text };
    } finally {
      res.body.destroy();
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new RetryableError('unreachable', `No complete answer of ${place}: ${codeOf(cause)}`, {
      cause,
    });
  }
  if (answer.status >= 500 && !isPlatformError?.(answer)) {
    throw new RetryableError('unreachable', `${place} answered ${answer.status}`);
  }
  return answer;
}

function isOutage(error: unknown): boolean {
  return error instanceof RetryableError && error.code === 'unreachable';
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code;
  return error instanceof Error ? error.name : 'unknown error';
}

function flatHeaders(
  headers: Record<string, string | string[] | undefined>,
): HttpAnswer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}
