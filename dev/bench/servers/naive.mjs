// @ts-check
/**
 * What one would write first: Express with its defaults, the days as plain objects, `res.json`. PACKED=on adds what the usual
 * compression middleware does: the answer goes through zlib's gzip at its default level.
 */
import { createGzip } from 'node:zlib';
import { connectDatabase } from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import express from 'express';
import { tellPort } from './tell-port.mjs';

const { MONGODB_URI = '', PACKED } = process.env;
const logger = createLogger({ name: 'naive' });
const db = await connectDatabase({ uri: MONGODB_URI, appName: 'bench-naive', logger });
const days = db.db.collection('naiveDays');

const app = express();
if (PACKED === 'on') app.use(compress);
app.get('/data', async (req, res) => {
  const { value, start, end } = /** @type {Record<string, string>} */ (req.query); // our own load asks
  const filter = { _id: { $gte: `${value}.${start}`, $lte: `${value}.${end}` } };
  res.json(await days.find(/** @type {{}} */ (filter)).toArray());
});

/**
 * @param {import('express').Request} _req
 * @param {import('express').Response} res
 * @param {import('express').NextFunction} next
 */
function compress(_req, res, next) {
  const end = res.end.bind(res);
  const write = res.write.bind(res);
  /** @type {(body: string, encoding: BufferEncoding) => typeof res} */
  const endPacked = (body, encoding) => {
    res.removeHeader('Content-Length');
    res.setHeader('Content-Encoding', 'gzip');
    res.vary('Accept-Encoding');
    const gzip = createGzip();
    gzip.on('data', (chunk) => {
      if (!write(chunk)) gzip.pause();
    });
    res.on('drain', () => gzip.resume());
    gzip.on('end', () => end());
    gzip.end(body, encoding);
    return res;
  };
  res.end = /** @type {typeof res.end} */ (endPacked); // `res.json` calls it in this one way
  next();
}

const server = app.listen(0, '127.0.0.1', () => tellPort(server));
