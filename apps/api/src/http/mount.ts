import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isUnavailable } from '@tributary/database';
import express, {
  type ErrorRequestHandler,
  type Express,
  type IRoute,
  type RequestHandler,
} from 'express';
import { FOR_UPLOADS, unavailable, whileDatabaseAnswers } from '../database-watch.ts';
import type { Deps } from '../deps.ts';
import { acceptsGzip } from './accept.ts';
import { chooseAnswerType } from './answer-type.ts';
import { readJsonBody, refuseBody } from './body.ts';
import { type Cors, createCors } from './cors.ts';
import type { Method, RequestContext, Route } from './define-route.ts';
import { preconditionFailed, readIfMatch, takesIfMatch } from './if-match.ts';
import { readIdempotencyKey, runOnce } from './once.ts';
import { ProblemError, problemOf } from './problem.ts';
import { readQuery } from './query.ts';
import { quote } from './quote.ts';
import type { Reply } from './reply.ts';
import { sendAnswer, sendProblem } from './send.ts';
import { createTurns, type TakeTurn } from './turns.ts';
import { openUpload } from './upload.ts';

const URL_MAX = 8 * 1024;

/** Who sent a request: the tenant that everything it touches belongs to. */
export interface Caller {
  tenant: string;
  scopes: ReadonlySet<string>;
}

/**
 * May set headers of the answer.
 *
 * @throws ProblemError `unauthenticated`, or `rate_limited` for one request too many
 */
export type Authenticate = (req: IncomingMessage, res: ServerResponse) => Promise<Caller>;

interface MountOptions {
  routes: readonly Route[];
  /** Fixed answers for everybody, by path. */
  pages?: Readonly<Record<string, Reply>>;
  basePath: string;
  /** Origins whose pages may read answers; none by default. */
  origins?: ReadonlySet<string>;
  authenticate: Authenticate;
  deps: Deps;
}

/** The one place where routes meet Express: exact paths, 405 with `Allow`, every error as a problem. */
export function createExpressApp(options: MountOptions): Express {
  const { routes, pages = {}, basePath, origins, authenticate, deps } = options;
  const app = express();
  const takeTurn = createTurns();
  app.disable('etag');
  app.disable('x-powered-by');
  app.disable('query parser');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  const cors = origins && origins.size > 0 ? createCors(origins) : undefined;
  if (cors) app.use(cors.mark);
  app.use(checkUrl);
  for (const [path, methods] of byPath(routes)) {
    const mounted = app.route(basePath + path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const [method, route] of methods) {
      const handler = createHandler(route, { authenticate, deps, takeTurn });
      mounted[method.toLowerCase() as Lowercase<Method>](handler); // lower case of a method's name
    }
    refuseOthers(mounted, [...methods.keys()], cors);
  }
  for (const [path, reply] of Object.entries(pages)) {
    const mounted = app.route(basePath + path);
    mounted.get(async (req, res) => {
      await refuseBody(req);
      await sendAnswer(res, { requestId: res.locals.requestId, takeTurn }, reply);
    });
    refuseOthers(mounted, ['GET'], cors);
  }
  app.use((req) => {
    throw new ProblemError('not_found', `There is nothing at ${quote(req.path)}`);
  });
  app.use(createErrorHandler(deps));
  return app;
}

function byPath(routes: readonly Route[]): Map<string, Map<Method, Route>> {
  const paths = new Map<string, Map<Method, Route>>();
  for (const route of routes) {
    const methods = paths.get(route.path) ?? new Map<Method, Route>();
    if (methods.has(route.method)) throw new TypeError(`${route.method} ${route.path} twice`);
    paths.set(route.path, methods.set(route.method, route));
  }
  return paths;
}

/** Gives every request its id and refuses addresses that are too long or not percent-encoded UTF-8. */
const checkUrl: RequestHandler = (req, res, next) => {
  res.locals.requestId = randomUUID();
  if (req.url.length > URL_MAX) {
    throw new ProblemError('uri_too_long', `The address has more than ${URL_MAX} characters`);
  }
  try {
    decodeURIComponent(req.path);
  } catch {
    const message = `The path ${quote(req.path)} is not percent-encoded UTF-8`;
    throw new ProblemError('invalid_request', message, {
      errors: [{ in: 'path', name: '', message }],
    });
  }
  next();
};

interface Handling extends Pick<MountOptions, 'authenticate' | 'deps'> {
  takeTurn: TakeTurn;
}

function createHandler(route: Route, { authenticate, deps, takeTurn }: Handling): RequestHandler {
  const isJson = route.body !== undefined;
  return async (req, res) => {
    const startedAt = performance.now();
    res.once('close', () => {
      const seconds = (performance.now() - startedAt) / 1000;
      deps.onAnswered({ method: route.method, path: route.path, status: res.statusCode, seconds });
    });
    const cut = req.url.indexOf('?');
    const query = readQuery(cut < 0 ? '' : req.url.slice(cut + 1));
    const upload = route.upload && openUpload(req, route.upload);
    if (upload) res.once('close', upload.close);
    const body = isJson ? await readJsonBody(req) : upload ? undefined : await refuseBody(req);
    const run = route.prepare({ query, body, params: req.params });
    const key = route.idempotent && readIdempotencyKey(req.headers['idempotency-key']);
    const work = async () => {
      const caller = await authenticate(req, res);
      if (!caller.scopes.has(route.scope)) {
        throw new ProblemError('forbidden', `The key lacks the scope '${route.scope}'`);
      }
      const context: RequestContext = {
        tenant: caller.tenant,
        ifNoneMatch: req.headers['if-none-match'],
        ifMatch: readIfMatch(req.headers['if-match']),
        acceptsGzip: acceptsGzip(req.headers['accept-encoding']),
        answerType: route.csv ? chooseAnswerType(req.headers.accept) : 'application/json',
        now: deps.clock.now(),
        isAbandoned: () => res.destroyed,
        ...(upload && { upload }),
      };
      if (context.ifMatch && route.method !== 'GET' && !takesIfMatch(route)) {
        throw preconditionFailed('What this changes has no versions: send no If-Match');
      }
      return await runOnce(deps, context, { route, body, key }, () => run(context, deps));
    };
    const answer = await whileDatabaseAnswers(deps.db, work(), upload && FOR_UPLOADS);
    await sendAnswer(res, { requestId: res.locals.requestId, takeTurn }, answer);
  };
}

/** What a path answers to methods that it does not have. */
function refuseOthers(mounted: IRoute, methods: readonly Method[], cors: Cors | undefined): void {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  if (cors) mounted.options(cors.preflight(allow));
  mounted.all((req) => {
    throw new ProblemError(
      'method_not_allowed',
      `${quote(req.path)} answers ${allow.join(', ')}, not ${req.method}`,
      { headers: { Allow: allow.join(', ') } },
    );
  });
}

/** The one translation of errors. A fault of ours is logged with the id that the client sees. */
function createErrorHandler({ logger }: Deps): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const { requestId } = res.locals;
    const problem = isUnavailable(thrown) ? unavailable() : problemOf(thrown);
    if (problem.problem === 'internal' && !res.destroyed) {
      logger.error({ err: thrown, requestId, method: req.method, path: req.path }, 'Failed');
    }
    if (res.headersSent) res.destroy();
    else sendProblem(res, requestId, problem);
  };
}
