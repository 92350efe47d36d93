// @ts-check
import { openConnection } from './connection.mjs';
import { pathOf } from './oracles.mjs';
import { bytesOf } from './requests.mjs';

const IN_FLIGHT = 32;

/**
 * @typedef {import('./requests.mjs').Request} Request
 * @typedef {import('./connection.mjs').Answer} Answer
 * @typedef {(request: Request, answer: Answer | Error) => void} OnAnswer
 */

/**
 * Sends requests over 32 kept connections, and those that may leave a broken one over connections of their own.
 * @param {{ port: number, keys: Record<import('./requests.mjs').Caller, string | undefined>, uploads: readonly string[] }} options
 *   uploads: paths of which one request at a time is sent, as the API refuses more
 */
export function createSender({ port, keys, uploads }) {
  /** @type {(import('./connection.mjs').Connection | undefined)[]} */
  const connections = Array.from({ length: IN_FLIGHT }, () => undefined);
  /** @type {Promise<unknown>} */
  let uploading = Promise.resolve();

  /** @type {(request: Request, lane: number) => Promise<Answer | Error>} */
  const ask = async (request, lane) => {
    const kept = connections[lane];
    const connection = kept?.isOpen() && !request.isAlone ? kept : openConnection(port);
    if (!request.isAlone) connections[lane] = connection;
    try {
      const answer = await connection.ask(
        bytesOf(request, { port, keys }),
        request.method === 'HEAD',
      );
      if (request.isAlone || answer.isLast) connection.close();
      return answer;
    } catch (error) {
      connection.close();
      return error instanceof Error ? error : new Error(String(error));
    }
  };

  return {
    /**
     * @param {readonly Request[]} requests
     * @param {OnAnswer} onAnswer
     */
    async send(requests, onAnswer) {
      let next = 0;
      const run = async (/** @type {number} */ lane) => {
        for (;;) {
          const request = requests[next];
          next += 1;
          if (!request) return;
          const isUpload = uploads.includes(pathOf(request.target));
          const asked = isUpload ? uploading.then(() => ask(request, lane)) : ask(request, lane);
          if (isUpload) uploading = asked;
          onAnswer(request, await asked);
        }
      };
      await Promise.all(connections.map((_, lane) => run(lane)));
    },
    close() {
      for (const connection of connections) connection?.close();
    },
  };
}
