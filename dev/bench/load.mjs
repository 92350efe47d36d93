// @ts-check
import { Agent, request } from 'node:http';

const connections = 8;
const answerWithinMs = 30_000;

/**
 * @typedef {{ port: number, path: string, headers?: Record<string, string>, status?: number }} Target
 * @typedef {{ bytes: number, headers: import('node:http').IncomingHttpHeaders }} Answer the body's length as it was sent
 */

/**
 * Sends a fixed number of requests over 8 kept connections, each sending its next one when the answer is complete.
 * @param {(index: number) => Target} targetOf
 * @param {number} count
 * @returns {Promise<Answer>} the last answer; all had the expected status
 */
export async function load(targetOf, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let next = 0;
  /** @type {Answer | undefined} */
  let last;
  const run = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      last = await ask(agent, targetOf(index));
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, run));
  } finally {
    agent.destroy();
  }
  if (!last) throw new Error('No request was sent');
  return last;
}

/**
 * One whole answer, as it was sent.
 * @param {Target} target
 * @returns {Promise<Answer & { body: Buffer }>}
 */
export async function askOnce(target) {
  const agent = new Agent();
  /** @type {Buffer[]} */
  const chunks = [];
  const answer = await ask(agent, target, (chunk) => chunks.push(chunk));
  return { ...answer, body: Buffer.concat(chunks) };
}

/**
 * @param {Agent} agent
 * @param {Target} target
 * @param {(chunk: Buffer) => void} [onChunk]
 * @returns {Promise<Answer>}
 */
function ask(agent, { port, path, headers = {}, status = 200 }, onChunk) {
  return new Promise((resolve, reject) => {
    const options = { agent, host: '127.0.0.1', port, path, headers, timeout: answerWithinMs };
    const req = request(options, (res) => {
      let bytes = 0;
      res.on('data', (/** @type {Buffer} */ chunk) => {
        bytes += chunk.length;
        onChunk?.(chunk);
      });
      res.on('error', reject);
      res.on('end', () => {
        if (res.statusCode === status) resolve({ bytes, headers: res.headers });
        else reject(new Error(`${path} answered ${res.statusCode}, expected ${status}`));
      });
    });
    req.on('timeout', () => req.destroy(new Error(`${path} did not answer`)));
    req.on('error', reject);
    req.end();
  });
}
