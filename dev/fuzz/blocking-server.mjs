// @ts-check
/** Holds up its own event loop for the milliseconds of its argument, in the way that the path names or when it is told to work. */
import { createServer } from 'node:http';
import { tellPort } from '../bench/servers/tell-port.mjs';
import { threadMs } from '../bench/thread-ms.mjs';

const pauseMs = Number(process.argv[2]);

function work() {
  for (const end = threadMs() + pauseMs; threadMs() < end; );
}

function sleep() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
}

const server = createServer(({ url }, res) => {
  if (url === '/work') work();
  if (url === '/sleep') sleep();
  res.end(url);
});
process.prependListener('message', (message) => {
  if (message === 'work') work();
});
server.listen(0, '127.0.0.1', () => tellPort(server));
