import type { IncomingMessage, ServerResponse } from 'node:http';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { type ApiKey, isUnavailable, type KeyCheck } from '@tributary/database';
import type { TurnQueues } from '@tributary/queue';
import { readKeyHeader, sendAdminProblem } from '@tributary/runtime';
import express, { type Express } from 'express';

const PATH = '/queues';
const CHALLENGE = 'Basic realm="queues", charset="UTF-8"';

/**
 * The queue page. With keys it opens for those of the scope `admin` alone, sent as to the API or, by a browser, as the
 * password of Basic authentication. Without, everybody who reaches the port may look, and nobody may act.
 */
export function createQueueBoard({
  queues,
  checkKey,
}: {
  queues: ReturnType<TurnQueues['all']>;
  checkKey: KeyCheck | undefined;
}): (req: IncomingMessage, res: ServerResponse) => Promise<boolean> {
  const board = boardOf(queues, checkKey === undefined);
  return async (req, res) => {
    const path = (req.url ?? '/').split('?', 1)[0] ?? '/';
    if (path !== PATH && !path.startsWith(`${PATH}/`)) return false;
    const refused = await refusalOf(req, checkKey);
    if (!refused) board(req, res);
    else {
      if (refused.status === 401) res.setHeader('WWW-Authenticate', CHALLENGE);
      sendAdminProblem(res, refused);
    }
    return true;
  };
}

type Refusal = Parameters<typeof sendAdminProblem>[1];

async function refusalOf(
  req: IncomingMessage,
  checkKey: KeyCheck | undefined,
): Promise<Refusal | undefined> {
  const isActing = req.method !== 'GET' && req.method !== 'HEAD';
  const forbidden = (detail: string) => ({ status: 403, code: 'forbidden', detail });
  if (!checkKey) return isActing ? forbidden('The page is read-only while AUTH=off') : undefined;
  let key: ApiKey | undefined;
  try {
    key = await checkKey(basicPassword(req) ?? readKeyHeader(req.headers));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return { status: 503, code: 'unavailable', detail: 'MongoDB does not answer' };
  }
  if (!key) {
    const detail = 'Send an API key with the scope admin';
    return { status: 401, code: 'unauthenticated', detail };
  }
  if (!key.scopes.includes('admin')) return forbidden("The key lacks the scope 'admin'");
  // A browser sends a password that it knows along with what other pages make it send.
  const site = req.headers['sec-fetch-site'] ?? 'same-origin';
  const isForeign = site !== 'same-origin';
  return isActing && isForeign ? forbidden('Only the page itself may act') : undefined;
}

function basicPassword({ headers }: IncomingMessage): string | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+) *$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  return text.slice(text.indexOf(':') + 1);
}

function boardOf(queues: ReturnType<TurnQueues['all']>, readOnlyMode: boolean): Express {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(PATH);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode })),
    serverAdapter,
  });
  const app = express();
  app.disable('x-powered-by');
  app.use((_req, res, next) => {
    // The page's own styles are inline; fonts and everything else come from here alone.
    res.setHeader(
      'Content-Security-Policy',
      "default-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
    );
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Referrer-Policy', 'no-referrer');
    next();
  });
  app.use(PATH, serverAdapter.getRouter());
  return app;
}
