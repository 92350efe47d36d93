import type { RequestHandler } from 'express';

/** Headers of answers that a page may read, besides those that browsers always show. */
export const EXPOSED_HEADERS = [
  'Content-Disposition',
  'Data-As-Of',
  'Data-Missing',
  'Data-State',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];

/** Headers of requests that a page may send. */
const ALLOWED_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'X-API-Key',
];

/** How long a browser need not ask again; Chromium keeps an answer no longer. */
const MAX_AGE_SECONDS = '7200';

export interface Cors {
  /** Before every other handler: lets pages of the listed origins read what is answered, also an error. */
  mark: RequestHandler;
  /** Answers the question of a listed origin that comes before its request; others go on. */
  preflight(methods: readonly string[]): RequestHandler;
}

/**
 * What browsers are told of pages elsewhere (Fetch Standard, CORS protocol). Keys travel in headers that such a page has to
 * have itself, so no credentials of the browser are allowed.
 *
 * @param origins as browsers send them; never empty
 */
export function createCors(origins: ReadonlySet<string>): Cors {
  return {
    mark(req, res, next) {
      const { origin } = req.headers;
      // Also for others: a cache must not give one origin's answer to another.
      res.setHeader('Vary', 'Origin');
      if (origin !== undefined && origins.has(origin)) {
        res.setHeader('Access-Control-Allow-Origin', origin);
        res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', '));
      }
      next();
    },
    preflight: (methods) => (req, res, next) => {
      const { origin, 'access-control-request-method': method } = req.headers;
      if (origin === undefined || !origins.has(origin) || method === undefined) return next();
      res.removeHeader('Access-Control-Expose-Headers');
      res
        .writeHead(204, {
          'Access-Control-Allow-Methods': methods.join(', '),
          'Access-Control-Allow-Headers': ALLOWED_HEADERS.join(', '),
          'Access-Control-Max-Age': MAX_AGE_SECONDS,
          Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
          'X-Request-Id': res.locals.requestId,
        })
        .end();
    },
  };
}
