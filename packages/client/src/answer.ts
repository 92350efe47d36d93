import { type Completeness, readCompleteness } from './completeness.ts';
import { CursorExpiredError, ProblemError, UnexpectedAnswerError } from './errors.ts';
import { retryAfterOf } from './retry.ts';

/** What came back with every answer. */
export interface AnswerHead {
  status: number;
  headers: Headers;
  /** What the service calls this request in its logs. */
  requestId: string | undefined;
  /** For `ifNoneMatch` of a later call. */
  etag: string | undefined;
}

export interface Answer<Data> extends AnswerHead {
  notModified: false;
  data: Data;
}

/** Statistics, with how good they are. */
export interface DataAnswer<Data> extends Answer<Data>, Completeness {}

/** Nothing changed since the answer whose tag was given. */
export interface NotModified extends AnswerHead, Completeness {
  notModified: true;
  data: undefined;
}

export type MediaType = 'application/json' | 'text/csv';

const SHOWN_MAX = 200;

/**
 * An answer of the API from a response whose body is read.
 *
 * @throws ProblemError, UnexpectedAnswerError
 */
export function readAnswer(
  response: Response,
  text: string,
  { accept, isData, now }: { accept: MediaType; isData: boolean; now: number },
): Answer<unknown> | NotModified {
  const { status, headers } = response;
  const head = {
    status,
    headers,
    requestId: headers.get('x-request-id') ?? undefined,
    etag: headers.get('etag') ?? undefined,
    ...(isData && readCompleteness(headers)),
  };
  if (status === 304) {
    return { ...head, ...readCompleteness(headers), notModified: true, data: undefined };
  }
  if (status === 204) return { ...head, notModified: false, data: undefined };
  const contentType = headers.get('content-type');
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const answer = { status, contentType, retryAfterMs: retryAfterOf(headers, now) };
  const unexpected = (options?: ErrorOptions) => {
    const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
    const what = `status ${status} and ${contentType ?? 'no media type'}: ${shown}`;
    return new UnexpectedAnswerError(`Not an answer of the API, ${what}`, answer, options);
  };
  const parse = (): unknown => {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw unexpected({ cause });
    }
  };
  if (response.ok) {
    if (mediaType !== accept) throw unexpected();
    return { ...head, notModified: false, data: accept === 'text/csv' ? text : parse() };
  }
  const problem = mediaType === 'application/problem+json' ? parse() : undefined;
  if (!isProblem(problem)) throw unexpected();
  const { code, detail, errors = [], requestId = head.requestId ?? '' } = problem;
  const Thrown = code === 'cursor_expired' ? CursorExpiredError : ProblemError;
  throw new Thrown({ code, status, detail, errors, requestId }, answer.retryAfterMs);
}

type Sent = Pick<ProblemError, 'detail'> & {
  code: ConstructorParameters<typeof ProblemError>[0]['code'];
  errors?: ProblemError['errors'];
  requestId?: string;
};

function isProblem(body: unknown): body is Sent {
  if (typeof body !== 'object' || body === null) return false;
  const { code, detail } = body as Partial<Record<string, unknown>>;
  return typeof code === 'string' && typeof detail === 'string';
}
