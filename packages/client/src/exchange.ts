import { NetworkError, TimeoutError } from './errors.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Exchange {
  response: Response;
  text: string;
}

interface ExchangeOptions {
  fetch: Fetch;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/**
 * One request and the whole of its answer, within the time.
 *
 * @throws NetworkError, TimeoutError, or the reason of `signal`
 */
export async function exchange(
  url: URL,
  init: RequestInit,
  { fetch, timeoutMs, signal }: ExchangeOptions,
): Promise<Exchange> {
  signal?.throwIfAborted();
  const place = `${init.method} ${url.pathname}`;
  const controller = new AbortController();
  const late = new TimeoutError(`${place} was not answered within ${timeoutMs} ms`);
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => controller.abort(late), timeoutMs);
  try {
    const response = await fetch(url.href, { ...init, signal: controller.signal });
    return { response, text: await response.text() };
  } catch (cause) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw new NetworkError(`${place} failed: ${reasonOf(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** What fetch throws often says no more than "fetch failed". */
function reasonOf(thrown: unknown): string {
  const { message = String(thrown), cause } = thrown as Partial<Error>; // fetch throws objects
  const why = (cause as Partial<Error> | undefined)?.message;
  return why ? `${message} (${why})` : message;
}
