import { setTimeout as wait } from 'node:timers/promises';
import { AppError, RetryableError } from '@tributary/runtime';
import { type Dispatcher, request } from 'undici';
import { maskUrl } from './mask-url.ts';
import { readBody } from './read-body.ts';
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
}

const REPEATS = 2;

/** An HTTP client for platforms: nothing of a URL's query, a header or a body reaches an error message. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { timeoutMs = 30_000, repeatWaitMs = 250, checkUrl } = options;
  return {
    async send(call) {
      call.signal.throwIfAborted();
      checkUrl?.(call.url);
      const place = `${call.method} ${maskUrl(call.url)}`;
      const deadline = createDeadline(call.signal, timeoutMs, place);
      const repeats = (call.idempotent ?? call.method === 'GET') ? REPEATS : 0;
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
    },
  };
}

async function sendOnce(
  call: HttpRequest,
  place: string,
  options: HttpClientOptions & { signal: AbortSignal },
): Promise<HttpAnswer> {
  const { dispatcher, signal, bodyBytesMax = 20_000_000, isPlatformError } = options;
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
      const limits = { place, encoding: headers['content-encoding'], bytesMax: bodyBytesMax };
      const text = await readBody(res.body, limits);
      answer = { status: res.statusCode, headers, text, place };
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

/** One timer for the whole call, tied to the caller's signal and taken off it again. */
function createDeadline(outer: AbortSignal, timeoutMs: number, place: string) {
  const controller = new AbortController();
  const follow = () => controller.abort(outer.reason);
  outer.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => {
    const message = `No complete answer of ${place} within ${timeoutMs} ms`;
    controller.abort(new RetryableError('timeout', message));
  }, timeoutMs);
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      outer.removeEventListener('abort', follow);
    },
  };
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
