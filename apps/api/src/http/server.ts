import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROBLEMS } from '@tributary/shared';
import type { Express } from 'express';
import { startBodyDeadline } from './body-deadline.ts';
import { ProblemError, problemBody } from './problem.ts';
import { problemHeaders, sendProblem } from './send.ts';

const BODY_MS = 30_000;
const LIMITS = {
  headersTimeout: 10_000,
  // Bodies have a time of their own, which an upload may move: see body-deadline.ts.
  requestTimeout: 15 * 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 500,
  maxHeaderSize: 16 * 1024,
  requireHostHeader: false, // refused below, as a problem
};
/** A socket on which nothing moves for this long while it is being answered is cut. */
const STALLED_MS = 60_000;

export interface HttpServer {
  /** `http://127.0.0.1:8080`, without a trailing slash. */
  url: string;
  /** Stops accepting, lets accepted requests end, and cuts what is left after `withinMs`. */
  close(): Promise<void>;
}

interface ServerOptions {
  app: Express;
  host: string;
  /** 0 chooses a free port. */
  port: number;
  closeWithinMs?: number;
  /** How long a body may take that is no upload. */
  bodyWithinMs?: number;
  stalledMs?: number;
}

/** @throws Error when the address is taken */
export async function startHttpServer(options: ServerOptions): Promise<HttpServer> {
  const { app, host, port, closeWithinMs = 8_000 } = options;
  const { bodyWithinMs = BODY_MS, stalledMs = STALLED_MS } = options;
  const answering = new WeakMap<Socket, ServerResponse>();
  let isClosing = false;
  const server = createServer({ ...LIMITS, ...ownClasses(app) });
  server.setTimeout(stalledMs);
  // The types of Express know the third argument for its own requests only.
  const route = app as unknown as (
    req: IncomingMessage,
    res: ServerResponse,
    unrouted: () => void,
  ) => void;
  const handle = (req: IncomingMessage, res: ServerResponse) => {
    answering.set(req.socket, res);
    startBodyDeadline(req, bodyWithinMs, () => {
      // Answered already, it only sends what nobody reads.
      if (res.writableFinished) req.socket.destroy();
      else refuse(lateRequest(), req.socket, res);
    });
    if (isClosing) res.setHeader('Connection', 'close');
    const isHostMissing = req.headers.host === undefined && req.httpVersion !== '1.0';
    const refuseRequest = () => sendProblem(res, randomUUID(), malformed());
    if (isHostMissing) refuseRequest();
    // Express hands back what it cannot even route, such as an address that is none.
    else route(req, res, refuseRequest);
  };
  server.on('request', handle);
  server.on('checkExpectation', handle);
  // Sockets of an http server are net sockets; the type of the next two events says Duplex.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(error, socket as Socket, answering.get(socket as Socket));
  });
  // Without a listener the connection would be cut without a word.
  server.on('connect', (_req, socket) => {
    socket.on('error', () => socket.destroy()); // the http server has let go of it
    refuse(noTunnel(), socket as Socket, answering.get(socket as Socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close() {
      isClosing = true;
      await drain(server, closeWithinMs);
    },
  };
}

/**
 * Express sets the prototype of every request and response anew, which makes them slow on Node 20. When they are born
 * with it, that is a no-op. Pure speed: without this spread everything works the same.
 */
function ownClasses(app: Express) {
  class OwnRequest extends IncomingMessage {}
  class OwnResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(OwnRequest.prototype, app.request);
  Object.setPrototypeOf(OwnResponse.prototype, app.response);
  Object.assign(app, { request: OwnRequest.prototype, response: OwnResponse.prototype });
  return { IncomingMessage: OwnRequest, ServerResponse: OwnResponse };
}

function malformed(): ProblemError {
  return new ProblemError('invalid_request', 'The request is not valid HTTP/1.1');
}

const TUNNEL = 'TUNNEL';

function noTunnel(): NodeJS.ErrnoException {
  return Object.assign(new Error('A tunnel is asked for'), { code: TUNNEL });
}

function problemOfParser(code: string | undefined): ProblemError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProblemError(
        'headers_too_large',
        `The request line and headers have more than ${LIMITS.maxHeaderSize} bytes`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProblemError('request_timeout', 'The request did not arrive in time');
    case TUNNEL:
      return new ProblemError(
        'invalid_request',
        'There is no tunnel here: CONNECT is not answered',
      );
    default:
      return malformed();
  }
}

function lateRequest(): NodeJS.ErrnoException {
  return Object.assign(new Error('Late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}

const LINGER_MS = 300;

/** Answers what never became a request, once, and only while no answer is under way on the socket. */
function refuse(error: NodeJS.ErrnoException, socket: Socket, current?: ServerResponse): void {
  const isBusy = current?.headersSent && !current.writableFinished;
  if (error.code === 'ECONNRESET' || isBusy || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOfParser(error.code);
  const { status, title } = PROBLEMS[problem.problem];
  const requestId = randomUUID();
  const body = problemBody(problem, requestId);
  const headers = Object.entries({
    ...problemHeaders(problem, requestId, body),
    Connection: 'close',
  });
  const isHead = current?.req.method === 'HEAD' && !current.writableFinished;
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\n` +
      `${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${isHead ? '' : body}`,
  );
  // Destroyed at once, unread bytes would make the system drop the answer too.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const IDLE_GRACE_MS = 1_000;
const IDLE_CHECK_MS = 100;

/**
 * Idle connections stay open for a moment: a client that was about to send on one is answered with
 * `Connection: close` and not with a reset.
 */
async function drain(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    // The http server's own close would cut idle connections at once.
    NetServer.prototype.close.call(server, () => resolve());
  });
  const deadline = performance.now() + withinMs;
  let wait = IDLE_GRACE_MS;
  while ((await Promise.race([closed, sleep(wait, 'open')])) === 'open') {
    if (performance.now() >= deadline) server.closeAllConnections();
    server.closeIdleConnections();
    wait = IDLE_CHECK_MS;
  }
  server.close(() => undefined); // already closed; ends the interval that checks connections
}
