import type { IncomingMessage } from 'node:http';
import { invalidRequest, ProblemError } from './problem.ts';
import { quote } from './quote.ts';
import { parseStrictJson, StrictJsonError } from './strict-json.ts';

const BODY_MAX = 64 * 1024;

/**
 * Reads and parses a JSON body.
 *
 * @throws ProblemError 413, 415 or 400 `invalid_request`
 */
export async function readJsonBody(req: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(req);
  if (bytes.length === 0 && req.headers['content-type'] === undefined) {
    throw invalidBody('', 'A JSON body is required');
  }
  checkMediaType(req);
  return parse(bytes);
}

/** @throws ProblemError 400 when there is a body although the route takes none; 413 when it is too large to look at */
export async function refuseBody(req: IncomingMessage): Promise<void> {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  if ((length === undefined || length === '0') && encoding === undefined) return;
  if ((await readBytes(req)).length > 0) throw invalidBody('', 'No body is allowed here');
}

/**
 * Collects a body up to the limit. What comes beyond it is read and dropped, so that the client gets to see the answer;
 * the server's request timeout bounds that.
 */
function readBytes(req: IncomingMessage): Promise<Buffer> {
  const tooLarge = () =>
    new ProblemError('payload_too_large', `The body has more than ${BODY_MAX} bytes`);
  if (Number(req.headers['content-length'] ?? 0) > BODY_MAX) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= BODY_MAX) chunks.push(chunk);
      else reject(tooLarge());
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', reject);
  });
}

/** True for `charset=utf-8`, the one parameter of a media type that is taken. */
export function isUtf8Parameter(parameter: string): boolean {
  return /^\s*charset\s*=\s*"?utf-8"?\s*$/i.test(parameter);
}

function checkMediaType({ headers }: IncomingMessage): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  const isJson =
    type.trim().toLowerCase() === 'application/json' && parameters.every(isUtf8Parameter);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (isJson && encoding === 'identity') return;
  throw new ProblemError(
    'unsupported_media_type',
    isJson
      ? `The body is encoded as ${quote(encoding)}, expected no Content-Encoding`
      : `The body is ${quote(headers['content-type'] ?? '')}, expected application/json in UTF-8`,
  );
}

function parse(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidBody('', 'The body is not valid UTF-8');
  }
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (error instanceof StrictJsonError) throw invalidBody(error.key, error.message);
    throw error;
  }
}

function invalidBody(name: string, message: string): ProblemError {
  return invalidRequest([{ in: 'body', name, message }]);
}
