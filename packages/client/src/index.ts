export type { Answer, AnswerHead, DataAnswer, NotModified } from './answer.ts';
export type { CallOptions, ChangeOptions, DataOptions, OnceOptions } from './call.ts';
export type { ChangesOptions, ChangesPage } from './changes.ts';
export {
  type AnswerOf,
  type Client,
  createClient,
  type DataOperationId,
  type InputOf,
  type OperationId,
  type PagedOperationId,
} from './client.ts';
export type { Completeness, DataState, MissingSpan } from './completeness.ts';
export {
  CursorExpiredError,
  NetworkError,
  type ProblemCode,
  ProblemError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';
export type { Fetch } from './exchange.ts';
export type * from './operations.ts';
export type { ClientOptions } from './options.ts';
export type { WaitForRefreshOptions } from './wait-for-refresh.ts';
