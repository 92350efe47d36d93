import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { invalidInputs } from './invalid-input.ts';
import { invalidRequest } from './problem.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Scope = 'read' | 'write';

/** What a handler may know of the request besides its parsed input. */
export interface RequestContext {
  tenant: string;
  ifNoneMatch: string | undefined;
  acceptsGzip: boolean;
  /** Epoch milliseconds at which the request is answered. */
  now: number;
}

interface RouteInput<Query, Body> {
  query: Query;
  body: Body;
  context: RequestContext;
}

/** One endpoint as a value. `handle` sees parsed input and returns data, or a `Reply` where the status is not 200. */
export interface RouteSpec<Query extends z.ZodType, Body extends z.ZodType> {
  method: Method;
  /** Exact and case-sensitive, relative to the base path. */
  path: `/${string}`;
  query: Query;
  /** Without it a body is refused. */
  body?: Body;
  /** What a 200 or 201 sends; absent where nothing is sent. */
  response?: z.ZodType;
  scope: Scope;
  handle(input: RouteInput<z.output<Query>, z.output<Body>>, deps: Deps): Promise<unknown>;
}

/** A route whose types are closed over: `prepare` checks the raw input, what it answers does the work. */
export interface Route extends Omit<RouteSpec<z.ZodType, z.ZodType>, 'handle'> {
  /** @throws ProblemError `invalid_request` naming every parameter at fault */
  prepare(raw: {
    query: unknown;
    body: unknown;
  }): (context: RequestContext, deps: Deps) => Promise<unknown>;
}

export function defineRoute<Query extends z.ZodType, Body extends z.ZodType = z.ZodUndefined>(
  spec: RouteSpec<Query, Body>,
): Route {
  const bodySchema = spec.body ?? (z.undefined() as unknown as Body); // the default of the type parameter
  return {
    ...spec,
    prepare(raw) {
      const query = spec.query.safeParse(raw.query);
      const body = bodySchema.safeParse(raw.body);
      if (query.success && body.success) {
        return (context, deps) =>
          spec.handle({ query: query.data, body: body.data, context }, deps);
      }
      throw invalidRequest([
        ...invalidInputs('query', raw.query, query.error?.issues ?? []),
        ...invalidInputs('body', raw.body, body.error?.issues ?? []),
      ]);
    },
  };
}
