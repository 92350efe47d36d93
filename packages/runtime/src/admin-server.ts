import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from './logger.ts';

/** `ok: false` answers 503; the rest is shown as JSON and must hold nothing secret. */
export interface Health {
  ok: boolean;
  [detail: string]: unknown;
}

export interface AdminServerOptions {
  /** 0 chooses a free port. */
  port: number;
  /** Loopback unless told otherwise: only what `extra` answers may ask for a key. */
  host?: string;
  logger: Logger;
  /** Does the process do its work? */
  livez: () => Promise<Health> | Health;
  /** May traffic be sent here? */
  readyz: () => Promise<Health> | Health;
  /** The text that Prometheus reads. */
  metrics: () => Promise<string>;
  /** Further pages: true when it took the request and will answer it. */
  extra?: (req: IncomingMessage, res: ServerResponse) => boolean | Promise<boolean>;
  /** How long a check may take before it counts as failed. */
  checkTimeoutMs?: number;
}

export interface AdminServer {
  port: number;
  /** `http://127.0.0.1:9091` */
  url: string;
  close(): Promise<void>;
}

/**
 * Listens for operators and probes: `/livez`, `/readyz`, `/metrics`.
 *
 * @throws Error when the address is taken
 */
export async function createAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const { port, host = '127.0.0.1', logger } = options;
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (req, res) => {
    answer(options, req, res).catch((err: unknown) => {
      logger.error({ err, path: pathOf(req) }, 'An admin page failed');
      if (res.headersSent) res.destroy();
      else sendAdminProblem(res, { status: 500, code: 'internal', detail: 'Internal error' });
    });
  });
  server.keepAliveTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (err) => logger.error({ err }, 'The admin server failed'));
  const { port: bound } = server.address() as AddressInfo; // A TCP server that listens has one.
  return {
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  options: AdminServerOptions,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const path = pathOf(req);
  const page = path === '/livez' || path === '/readyz' || path === '/metrics';
  if (page && req.method !== 'GET' && req.method !== 'HEAD') {
    res.setHeader('Allow', 'GET, HEAD');
    const detail = `${path} answers GET and HEAD only`;
    return sendAdminProblem(res, { status: 405, code: 'method_not_allowed', detail });
  }
  const withinMs = options.checkTimeoutMs ?? 3_000;
  if (path === '/metrics') {
    const text = await within(withinMs, async () => options.metrics());
    return send(res, 200, 'text/plain; version=0.0.4; charset=utf-8', text);
  }
  if (page) {
    const check = path === '/livez' ? options.livez : options.readyz;
    const health = await within(withinMs, async () => check()).catch((err: unknown): Health => {
      options.logger.warn({ err, path }, 'A health check failed');
      return { ok: false, reason: 'the check failed or took too long' };
    });
    return send(res, health.ok ? 200 : 503, 'application/json', JSON.stringify(health));
  }
  if (await options.extra?.(req, res)) return;
  const detail = 'There is nothing at this path';
  sendAdminProblem(res, { status: 404, code: 'not_found', detail });
}

function pathOf(req: IncomingMessage): string {
  return (req.url ?? '/').split('?', 1)[0] ?? '/';
}

async function within<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Answers as `application/problem+json`, for {@link AdminServerOptions.extra} too. */
export function sendAdminProblem(
  res: ServerResponse,
  { status, code, detail }: { status: number; code: string; detail: string },
): void {
  const problem = { type: 'about:blank', title: code.replaceAll('_', ' '), status, detail, code };
  send(res, status, 'application/problem+json', JSON.stringify(problem));
}

function send(res: ServerResponse, status: number, type: string, body: string): void {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-store' };
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  res.end(res.req.method === 'HEAD' ? undefined : body);
}
