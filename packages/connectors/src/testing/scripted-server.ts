import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What one request of a test saw. */
export interface Seen {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Script = (seen: Seen, res: ServerResponse) => unknown;

export interface ScriptedServer {
  url: string;
  seen: Seen[];
  /** What to answer from now on. */
  answer(script: Script): void;
  close(): Promise<void>;
}

/** A real HTTP server on loopback that answers as a test says; sockets are cut when it closes. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  let script: Script | undefined;
  const seen: Seen[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    req.on('end', () => {
      const url = new URL(req.url ?? '/', 'http://localhost');
      const one = { method: req.method ?? '', url, headers: req.headers, body };
      seen.push(one);
      script?.(one, res);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo; // A TCP server's address is never a string.
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    answer: (next) => {
      script = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Answers with JSON. */
export function json(res: ServerResponse, body: unknown, status = 200, headers = {}): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
  res.end(JSON.stringify(body));
}
