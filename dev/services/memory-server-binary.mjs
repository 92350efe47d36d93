// @ts-check
/**
 * Prints the path of the program that one of the two memory-server packages downloads, on its last line: `path <path>`.
 * A process of its own, because a download that hangs can only be ended from outside. argv: mongod or redis-server, and the folder.
 */
import { createRequire } from 'node:module';

const [, , program, downloadDir = ''] = process.argv;
const require = createRequire(import.meta.url);

async function locate() {
  if (program === 'mongod') {
    const { MongoBinary } = require('mongodb-memory-server-core/lib/util/MongoBinary');
    return MongoBinary.getPath({ downloadDir, checkMD5: true });
  }
  const { default: RedisBinary } = require('redis-memory-server/lib/util/RedisBinary');
  return RedisBinary.getPath({ downloadDir });
}

console.log(`path ${await locate()}`);
