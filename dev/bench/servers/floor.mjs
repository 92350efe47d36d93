// @ts-check
/**
 * The least that can be done in Node: node:http, one query whose documents are never decoded, and their fragments written
 * as they are. It checks nothing, knows no tenants and no states, and keeps a plain and a packed copy of everything.
 */
import { createServer } from 'node:http';
import { connectDatabase, makePiece } from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import { crcJoin } from '@tributary/shared';
import { tellPort } from './tell-port.mjs';

const { MONGODB_URI = '' } = process.env;
const logger = createLogger({ name: 'floor' });
const db = await connectDatabase({ uri: MONGODB_URI, appName: 'bench-floor', logger });
const collections = {
  plain: db.db.collection('plainFragments'),
  packed: db.db.collection('packedFragments'),
};
const options = {
  raw: true,
  projection: { _id: 0, f: 1 },
  batchSize: 402,
  sort: /** @type {const} */ ({ _id: 1 }),
};

/**
 * @param {'plain' | 'packed'} form
 * @param {URLSearchParams} query
 * @returns {Promise<Buffer[]>}
 */
async function readFragments(form, query) {
  const value = query.get('value');
  const filter = {
    _id: { $gte: `${value}.${query.get('start')}`, $lte: `${value}.${query.get('end')}` },
  };
  const found = await collections[form].find(/** @type {{}} */ (filter), options).toArray();
  // A document is its length, a type byte, `f`, NUL, the value's length, a subtype byte, the value.
  return /** @type {any[]} */ (found).map((bytes) => bytes.subarray(12, 12 + bytes.readInt32LE(7)));
}

/** @param {string} text */
const both = (text) => ({ plain: Buffer.from(text), packed: makePiece(text) });
const open = both('{"data":[');
const comma = both(',');
const close = both(']}');
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** @param {readonly Buffer[]} fragments */
function joinPlain(fragments) {
  const chunks = fragments.flatMap((fragment) => [comma.plain, fragment]);
  return [open.plain, ...chunks.slice(1), close.plain];
}

/**
 * A packed fragment begins with its length, its CRC and its CRC shift.
 * @param {readonly Buffer[]} fragments
 */
function joinPacked(fragments) {
  const pieces = fragments.flatMap((bytes) => [
    comma.packed,
    {
      n: bytes.readUInt32LE(0),
      c: bytes.readUInt32LE(4),
      o: bytes.readUInt32LE(8),
      z: bytes.subarray(12),
    },
  ]);
  /** @type {Buffer[]} */
  const chunks = [gzipHead];
  let crc = 0;
  let length = 0;
  for (const { z, n, c, o } of [open.packed, ...pieces.slice(1), close.packed]) {
    crc = crcJoin(crc, c, o);
    length += n;
    chunks.push(z);
  }
  const tail = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]); // a last empty block, then CRC and length
  tail.writeUInt32LE(crc, 2);
  tail.writeUInt32LE(length, 6);
  return [...chunks, tail];
}

const hello = Buffer.from('{"hello":"world"}');

/**
 * @param {import('node:http').IncomingMessage} req
 * @param {import('node:http').ServerResponse} res
 */
async function answer(req, res) {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://floor');
  if (pathname !== '/data') {
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': hello.length });
    res.end(hello);
    return;
  }
  const isPacked = req.headers['accept-encoding'] === 'gzip';
  const fragments = await readFragments(isPacked ? 'packed' : 'plain', searchParams);
  const chunks = isPacked ? joinPacked(fragments) : joinPlain(fragments);
  res.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': chunks.reduce((sum, { length }) => sum + length, 0),
    ...(isPacked && { 'Content-Encoding': 'gzip' }),
  });
  res.cork();
  for (const chunk of chunks) res.write(chunk);
  res.end();
}

const server = createServer((req, res) => {
  answer(req, res).catch((error) => res.destroy(error));
});
server.listen(0, '127.0.0.1', () => tellPort(server));
