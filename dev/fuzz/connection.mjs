// @ts-check
import { connect } from 'node:net';

const ANSWER_WITHIN_MS = 25_000;
const HEAD_END = '\r\n\r\n';

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {readonly (readonly [string, string])[]} headers names in lower case, in order
 * @property {Buffer} body as it was sent
 * @property {boolean} isLast the connection cannot be used again
 *
 * @typedef {object} Connection
 * @property {(bytes: Buffer, isHead: boolean) => Promise<Answer>} ask
 * @property {() => boolean} isOpen
 * @property {() => void} close
 */

/**
 * A client that sends bytes as they are: what breaks the rules of HTTP has to go out as well.
 * @param {number} port on loopback
 * @returns {Connection}
 */
export function openConnection(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  /** @type {Buffer} */
  let received = Buffer.alloc(0);
  let isEnded = false;
  /** @type {{ isHead: boolean, resolve: (answer: Answer) => void, reject: (error: Error) => void, late: NodeJS.Timeout } | undefined} */
  let waiting;
  const settle = () => {
    const current = waiting;
    if (current) clearTimeout(current.late);
    waiting = undefined;
    return current;
  };
  const look = () => {
    if (!waiting) return;
    try {
      const found = readAnswer(received, { isHead: waiting.isHead, isEnded });
      if (found) {
        received = received.subarray(found.length);
        settle()?.resolve({ ...found.answer, isLast: found.answer.isLast || isEnded });
      } else if (isEnded) {
        const text = received.length > 0 ? 'in mid-answer' : 'without an answer';
        settle()?.reject(new Error(`The connection was closed ${text}`));
      }
    } catch (error) {
      settle()?.reject(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const end = () => {
    isEnded = true;
    look();
  };
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    look();
  });
  socket.on('end', end);
  socket.on('close', end);
  socket.on('error', end);
  return {
    isOpen: () => !isEnded && received.length === 0,
    close: () => {
      isEnded = true;
      socket.destroy();
    },
    ask(bytes, isHead) {
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          settle()?.reject(new Error(`No answer within ${ANSWER_WITHIN_MS} ms`));
          socket.destroy();
        }, ANSWER_WITHIN_MS);
        waiting = { isHead, resolve, reject, late };
        socket.write(bytes);
      });
    },
  };
}

/**
 * @param {Buffer} bytes
 * @param {{ isHead: boolean, isEnded: boolean }} options
 * @returns {{ answer: Answer, length: number } | undefined} undefined while it is not complete
 */
export function readAnswer(bytes, { isHead, isEnded }) {
  const cut = bytes.indexOf(HEAD_END);
  if (cut < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, cut).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1]);
  if (!status) throw new Error(`The answer begins with '${statusLine.slice(0, 80)}'`);
  const start = cut + HEAD_END.length;
  if (status < 200) {
    const rest = readAnswer(bytes.subarray(start), { isHead, isEnded });
    return rest && { ...rest, length: rest.length + start };
  }
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`The answer has the header line '${line.slice(0, 80)}'`);
    return /** @type {const} */ ([
      line.slice(0, colon).toLowerCase(),
      line.slice(colon + 1).trim(),
    ]);
  });
  const headerOf = (/** @type {string} */ name) => headers.find(([one]) => one === name)?.[1];
  const isLast = headerOf('connection') === 'close';
  const body = bodyOf(bytes.subarray(start), {
    isEmpty: isHead || status === 204 || status === 304,
    isChunked: headerOf('transfer-encoding') === 'chunked',
    length: headerOf('content-length'),
    isEnded,
  });
  return (
    body && { answer: { status, headers, body: body.bytes, isLast }, length: start + body.length }
  );
}

/**
 * @param {Buffer} rest
 * @param {{ isEmpty: boolean, isChunked: boolean, length: string | undefined, isEnded: boolean }} framing
 * @returns {{ bytes: Buffer, length: number } | undefined}
 */
function bodyOf(rest, { isEmpty, isChunked, length, isEnded }) {
  if (isEmpty) return { bytes: Buffer.alloc(0), length: 0 };
  if (isChunked) return chunksOf(rest);
  if (length === undefined) return isEnded ? { bytes: rest, length: rest.length } : undefined;
  const size = Number(length);
  return rest.length < size ? undefined : { bytes: rest.subarray(0, size), length: size };
}

/** @param {Buffer} rest */
function chunksOf(rest) {
  /** @type {Buffer[]} */
  const chunks = [];
  let at = 0;
  for (;;) {
    const line = rest.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(rest.subarray(at, line).toString('latin1'), 16);
    if (Number.isNaN(size)) throw new Error('A chunk of the answer has no length');
    const start = line + 2;
    if (rest.length < start + size + 2) return undefined;
    if (size === 0) return { bytes: Buffer.concat(chunks), length: start + 2 };
    chunks.push(rest.subarray(start, start + size));
    at = start + size + 2;
  }
}
