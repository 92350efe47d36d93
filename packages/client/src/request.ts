import type { MediaType } from './answer.ts';

/** How an operation is asked, as the generated table has it. */
export interface Operation {
  method: string;
  /** `{name}` stands for a parameter. */
  path: string;
  /** Carried out once for an idempotency key. */
  isOnce?: true;
  /** Changes what has versions. */
  isVersioned?: true;
  /** Statistics: with their completeness, as CSV too, and conditional. */
  isData?: true;
  /** An array that comes in pages. */
  isPaged?: true;
}

export interface RequestOptions {
  accept: MediaType;
  apiKey: string | undefined;
  ifNoneMatch: string | undefined;
  ifMatch: string | undefined;
  idempotencyKey: string | undefined;
}

export type Input = Readonly<Record<string, unknown>>;

/** What the types of all operations have in common. */
type Typed = { body?: unknown; contentType?: string } & {
  [parameter: string]: string | number | undefined;
};

/**
 * The address and the rest of a request.
 *
 * @throws TypeError for a path parameter that would lead elsewhere, and for a key or tag that no header holds
 */
export function createRequest(
  baseUrl: string,
  operation: Operation,
  input: Input,
  options: RequestOptions,
): { url: URL; init: RequestInit } {
  const { body, contentType, ...parameters } = input as Typed;
  const query = new Map(Object.entries(parameters));
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const segment = segmentOf(name, query.get(name));
    query.delete(name);
    return segment;
  });
  const url = new URL(baseUrl + path);
  for (const [name, value] of query) {
    if (value !== undefined) url.searchParams.append(name, String(value));
  }
  const { accept, apiKey, ifNoneMatch, ifMatch, idempotencyKey } = options;
  // Made here, so that a value which no header holds is refused before anything is sent.
  const headers = new Headers({
    Accept: accept,
    ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
    ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    ...(body !== undefined && { 'Content-Type': contentType ?? 'application/json' }),
  });
  // The API sends nobody elsewhere: whoever does is not given the key.
  const init: RequestInit = { method: operation.method, headers, redirect: 'manual' };
  if (body !== undefined) {
    init.body = contentType === undefined ? JSON.stringify(body) : (body as BodyInit); // typed by the operation
  }
  return { url, init };
}

/** A segment of dots would be taken for a way up. */
function segmentOf(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`Invalid ${name} '${text}', expected an id`);
  return encodeURIComponent(text);
}
