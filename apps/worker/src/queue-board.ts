import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { TurnQueues } from '@tributary/queue';
import express, { type Express } from 'express';

const PATH = '/queues';

/**
 * The queue page. Everybody who reaches the admin port may look; only who sends the admin key as a bearer token gets the
 * page that can act.
 */
export function createQueueBoard({
  queues,
  adminKey,
}: {
  queues: ReturnType<TurnQueues['all']>;
  adminKey: string | undefined;
}): (req: IncomingMessage, res: ServerResponse) => boolean {
  const readable = boardOf(queues, true);
  const writable = adminKey === undefined ? undefined : boardOf(queues, false);
  return (req, res) => {
    const path = (req.url ?? '/').split('?', 1)[0] ?? '/';
    if (path !== PATH && !path.startsWith(`${PATH}/`)) return false;
    const board = writable && isAdmin(req, adminKey) ? writable : readable;
    board(req, res);
    return true;
  };
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

function isAdmin(req: IncomingMessage, adminKey: string | undefined): boolean {
  const given = Buffer.from(req.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${adminKey ?? ''}`);
  return adminKey !== undefined && given.length === wanted.length && timingSafeEqual(given, wanted);
}
