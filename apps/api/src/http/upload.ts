import type { IncomingMessage } from 'node:http';
import { isUtf8Parameter } from './body.ts';
import { moveBodyDeadline } from './body-deadline.ts';
import { ProblemError } from './problem.ts';
import { quote } from './quote.ts';

/** Decoded and encoded alike, as nothing compressed is taken. */
export const UPLOAD_MAX = 100 * 1024 * 1024;
const UPLOAD_MS = 10 * 60_000;
/** What a client still sends after a refusal is dropped this long, so that it gets to see the answer. */
const REST_MS = 5_000;
const STALLED_MS = 60_000;

/** A body that is read piece by piece instead of being held. */
export interface Upload {
  /** One of the types that the route takes. */
  mediaType: string;
  /** @throws ProblemError `payload_too_large` beyond the limit */
  bytes: AsyncIterable<Buffer>;
}

export interface OpenUpload extends Upload {
  /** The route is done with the body, whether it read all of it or not. */
  close(): void;
}

/** @throws ProblemError 415 or 413; nothing is read before `bytes` is */
export function openUpload(req: IncomingMessage, mediaTypes: readonly string[]): OpenUpload {
  const mediaType = mediaTypeOf(req, mediaTypes);
  if (Number(req.headers['content-length'] ?? 0) > UPLOAD_MAX) throw tooLarge();
  return {
    mediaType,
    bytes: readPieces(req),
    close() {
      req.socket.setTimeout(STALLED_MS);
      if (req.complete) return;
      moveBodyDeadline(req, REST_MS);
      req.resume();
    },
  };
}

async function* readPieces(req: IncomingMessage): AsyncGenerator<Buffer> {
  moveBodyDeadline(req, UPLOAD_MS);
  let length = 0;
  // Destroyed, the request would take its answer with it.
  for await (const piece of req.iterator({ destroyOnReturn: false })) {
    const bytes = piece as Buffer; // no encoding is set on a request
    length += bytes.length;
    if (length > UPLOAD_MAX) throw tooLarge();
    yield bytes;
  }
  // What was sent is worked on now, and nothing moves on the socket meanwhile.
  req.socket.setTimeout(0);
}

function tooLarge(): ProblemError {
  return new ProblemError('payload_too_large', `The body has more than ${UPLOAD_MAX} bytes`);
}

function mediaTypeOf({ headers }: IncomingMessage, mediaTypes: readonly string[]): string {
  const sent = headers['content-type'] ?? '';
  const [type = '', ...parameters] = sent.split(';');
  const mediaType = mediaTypes.find((one) => one === type.trim().toLowerCase());
  const encoding = headers['content-encoding'] ?? 'identity';
  if (mediaType !== undefined && parameters.every(isUtf8Parameter) && encoding === 'identity') {
    return mediaType;
  }
  throw new ProblemError(
    'unsupported_media_type',
    encoding === 'identity'
      ? `The body is ${quote(sent)}, expected ${mediaTypes.join(' or ')} in UTF-8`
      : `The body is encoded as ${quote(encoding)}, expected no Content-Encoding`,
  );
}
