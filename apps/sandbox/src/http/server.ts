import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Call, Reply } from './call.ts';
import { json } from './call.ts';

const BODY_MAX = 10 * 1024 * 1024;
const HUGE_BYTES = 256 * 1024 * 1024;
const HUGE_CHUNK = Buffer.from(`${'{"impressions":"1","clicks":"1"},'.repeat(2_000)}\n`);

/** Where the calls under one prefix go. */
export interface Mount {
  prefix: string;
  answer(call: Call): Reply;
}

async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= BODY_MAX) chunks.push(bytes);
  }
  return size > BODY_MAX ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** Sends a body without end in sight, as fast as the client takes it, until 256 MiB or the client leaves. */
function sendHuge(res: ServerResponse): void {
  let sent = 0;
  res.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' });
  res.write('{"data":[');
  const pump = (): void => {
    while (!res.destroyed && sent < HUGE_BYTES) {
      sent += HUGE_CHUNK.length;
      if (!res.write(HUGE_CHUNK)) {
        res.once('drain', pump);
        return;
      }
    }
    res.end();
  };
  pump();
}

function send(req: IncomingMessage, res: ServerResponse, reply: Reply): void {
  // A hanging call keeps its socket until the client or the closing server ends it.
  if (reply.transport === 'hang') return;
  if (reply.transport === 'huge') {
    sendHuge(res);
    return;
  }
  const body = Buffer.from(reply.body);
  const length = { 'content-length': String(body.length) };
  res.writeHead(
    reply.status,
    reply.status === 304 ? reply.headers : { ...reply.headers, ...length },
  );
  if (reply.transport === 'cut') {
    res.write(body.subarray(0, Math.max(1, body.length >> 1)), () => res.destroy());
    return;
  }
  res.end(req.method === 'HEAD' || reply.status === 304 ? undefined : body);
}

async function serve(mounts: Mount[], req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await readBody(req);
  const host = req.headers.host ?? 'localhost';
  const url = URL.canParse(req.url ?? '/', `http://${host}`)
    ? new URL(req.url ?? '/', `http://${host}`)
    : undefined;
  if (body === undefined || url === undefined) {
    send(req, res, json(body === undefined ? 413 : 400, { error: 'the request cannot be read' }));
    return;
  }
  const mount = mounts.find(
    ({ prefix }) => url.pathname === prefix || url.pathname.startsWith(`${prefix}/`),
  );
  if (mount === undefined) {
    send(req, res, json(404, { error: `Nothing is simulated at ${url.pathname}` }));
    return;
  }
  const headers = Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [name, value?.toString()]),
  );
  const call = {
    method: req.method ?? 'GET',
    path: url.pathname.slice(mount.prefix.length) || '/',
    query: url.searchParams,
    headers,
    body,
    baseUrl: `http://${host}${mount.prefix}`,
  };
  send(req, res, mount.answer(call));
}

/** An HTTP server over the mounts. A failure inside the sandbox is answered 500 with its text: it is a test tool. */
export function createHttpServer(mounts: Mount[]): Server {
  return createServer((req, res) => {
    serve(mounts, req, res).catch((error: unknown) => {
      if (req.destroyed && !req.complete) return;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      if (res.headersSent) res.destroy();
      else send(req, res, json(500, { sandboxError: text }));
    });
  });
}
