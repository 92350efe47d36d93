import type { ProblemCode } from '@tributary/shared';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { AnswerType } from './answer-type.ts';
import { invalidInputs } from './invalid-input.ts';
import { invalidRequest } from './problem.ts';
import type { Upload } from './upload.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Scope = 'read' | 'write' | 'refresh';

/** What a handler may know of the request besides its parsed input. */
export interface RequestContext {
  tenant: string;
  ifNoneMatch: string | undefined;
  /** The tags of `If-Match`; undefined where anything may be changed. */
  ifMatch: readonly string[] | undefined;
  acceptsGzip: boolean;
  /** What the client wants; always JSON where a route sends nothing else. */
  answerType: AnswerType;
  /** Epoch milliseconds at which the request is answered. */
  now: number;
  /** True when the client is gone: what is read for it is read for nobody. */
  isAbandoned(): boolean;
  /** The body of a route that takes an upload. */
  upload?: Upload;
}

/** What a route also sends as CSV, where a client prefers it. */
export interface CsvForm {
  columns: readonly string[];
  /** What a row is; Markdown. */
  description: string;
}

interface RouteInput<Query, Body, Params> {
  query: Query;
  body: Body;
  params: Params;
  context: RequestContext;
}

/** One endpoint as a value. `handle` sees parsed input and returns data, or a `Reply` where the status is not 200. */
export interface RouteSpec<
  Query extends z.ZodType,
  Body extends z.ZodType,
  Params extends z.ZodType,
> {
  method: Method;
  /** Exact and case-sensitive, relative to the base path. `{name}` stands for one segment, which `params` checks. */
  path: `/${string}`;
  /** One line for people, without a full stop. */
  summary: string;
  /** What a client must know besides; Markdown. */
  description?: string;
  /** Beyond the interface specification. */
  extension?: true;
  /** Errors of its own, besides those that every route or every route with a body can meet. */
  problems?: readonly ProblemCode[];
  params?: Params;
  query: Query;
  /** Without it a body is refused. */
  body?: Body;
  /** The media types of a body that is read piece by piece, in place of `body`. */
  upload?: readonly string[];
  /** A list that may come in pages: the `Link` header names the next one. */
  paged?: true;
  /** Takes an `Idempotency-Key`: with one, a repetition changes nothing and gets the same answer. */
  idempotent?: true;
  /** What it makes or changes has versions: it tells them as `ETag`, and takes `If-Match` before a change. */
  versioned?: true;
  /** The status of success; default 200, and 204 where nothing is sent. */
  status?: 201 | 202;
  /** What success sends; absent where nothing is sent. */
  response?: z.ZodType;
  /** The same figures as a table: the handler looks at `answerType`. */
  csv?: CsvForm;
  scope: Scope;
  handle(
    input: RouteInput<z.output<Query>, z.output<Body>, z.output<Params>>,
    deps: Deps,
  ): Promise<unknown>;
}

/** A route whose types are closed over: `prepare` checks the raw input, what it answers does the work. */
export interface Route extends Omit<RouteSpec<z.ZodType, z.ZodType, z.ZodType>, 'handle'> {
  /** @throws ProblemError `invalid_request` naming every parameter at fault */
  prepare(raw: {
    query: unknown;
    body: unknown;
    params: unknown;
  }): (context: RequestContext, deps: Deps) => Promise<unknown>;
}

export function defineRoute<
  Query extends z.ZodType,
  Body extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodObject<Record<never, never>>,
>(spec: RouteSpec<Query, Body, Params>): Route {
  // The defaults of the type parameters.
  const bodySchema = spec.body ?? (z.undefined() as unknown as Body);
  const paramsSchema = spec.params ?? (z.strictObject({}) as unknown as Params);
  return {
    ...spec,
    prepare(raw) {
      const query = spec.query.safeParse(raw.query);
      const body = bodySchema.safeParse(raw.body);
      const params = paramsSchema.safeParse(raw.params);
      if (query.success && body.success && params.success) {
        const input = { query: query.data, body: body.data, params: params.data };
        return (context, deps) => spec.handle({ ...input, context }, deps);
      }
      throw invalidRequest([
        ...invalidInputs('path', raw.params, params.error?.issues ?? []),
        ...invalidInputs('query', raw.query, query.error?.issues ?? []),
        ...invalidInputs('body', raw.body, body.error?.issues ?? []),
      ]);
    },
  };
}
