import { type Answer, type NotModified, readAnswer } from './answer.ts';
import { exchange } from './exchange.ts';
import { readMs, type Settings } from './options.ts';
import { createRequest, type Input, type Operation } from './request.ts';
import { repeatWait } from './retry.ts';

/** For one call. */
export interface CallOptions {
  /** Ends the call, a wait between two tries too; the call throws its reason. */
  signal?: AbortSignal | undefined;
  /** In place of the client's. */
  timeoutMs?: number | undefined;
}

/** For the calls that take an idempotency key: one of your own outlives this process. */
export interface OnceOptions extends CallOptions {
  idempotencyKey?: string | undefined;
}

/** For changes of what has versions. */
export interface ChangeOptions extends CallOptions {
  /** The `etag` of an earlier answer: what was changed since is left as it is, and told as `precondition_failed`. */
  ifMatch?: string | undefined;
}

/** For statistics. */
export interface DataOptions extends CallOptions {
  /** `csv`: the answer's `data` is the table as text. */
  as?: 'json' | 'csv' | undefined;
  /** The `etag` of an earlier answer to the same question: when nothing changed, `notModified` is true. */
  ifNoneMatch?: string | undefined;
}

/** Asks an operation, and again where that is harmless and may help. */
export async function call(
  settings: Settings,
  operation: Operation,
  input: Input,
  {
    signal,
    timeoutMs,
    as,
    ifNoneMatch,
    ifMatch,
    idempotencyKey,
  }: DataOptions & OnceOptions & ChangeOptions,
): Promise<Answer<unknown> | NotModified> {
  const accept = as === 'csv' ? 'text/csv' : 'application/json';
  const key = operation.isOnce ? (idempotencyKey ?? randomKey()) : undefined;
  const { url, init } = createRequest(settings.baseUrl, operation, input, {
    accept,
    apiKey: settings.apiKey,
    ifNoneMatch,
    ifMatch,
    idempotencyKey: key,
  });
  const exchangeOptions = {
    fetch: settings.fetch,
    timeoutMs: readMs('timeoutMs', timeoutMs ?? settings.timeoutMs),
    signal,
  };
  const retries = operation.method === 'GET' || key !== undefined ? settings.retries : 0;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const { response, text } = await exchange(url, init, exchangeOptions);
      return readAnswer(response, text, {
        accept,
        isData: operation.isData === true,
        now: settings.now(),
      });
    } catch (error) {
      const waitMaxMs = settings.retryAfterMaxMs;
      const ms = repeatWait(error, { attempt, waitMaxMs, random: settings.random() });
      if (attempt >= retries || ms === undefined) throw error;
      await settings.delay(ms, signal);
    }
  }
}

/** Also where the page is not secure, which `crypto.randomUUID` wants. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
