import type { IncomingMessage } from 'node:http';

/** The timers of bodies that are still coming in, by their requests. */
const deadlines = new WeakMap<IncomingMessage, { timer: NodeJS.Timeout; cut: () => void }>();

/** Has `cut` called when the body of a request is not there in time. */
export function startBodyDeadline(req: IncomingMessage, withinMs: number, cut: () => void): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  if ((length === undefined || length === '0') && encoding === undefined) return;
  moveTo(req, withinMs, cut);
  const clear = () => clearTimeout(deadlines.get(req)?.timer);
  req.once('end', clear);
  req.once('close', clear);
}

/** Gives the rest of a body another time, from now on. */
export function moveBodyDeadline(req: IncomingMessage, withinMs: number): void {
  const known = deadlines.get(req);
  if (known && !req.complete && !req.destroyed) moveTo(req, withinMs, known.cut);
}

function moveTo(req: IncomingMessage, withinMs: number, cut: () => void): void {
  clearTimeout(deadlines.get(req)?.timer);
  const timer = setTimeout(() => {
    if (!req.complete && !req.socket.destroyed) cut();
  }, withinMs).unref();
  deadlines.set(req, { timer, cut });
}
