// @ts-check
import { indexOfMarker } from './random.mjs';

/**
 * @typedef {import('./requests.mjs').Request} Request
 * @typedef {import('./connection.mjs').Answer} Answer
 * @typedef {{ index: number | undefined, last?: number | undefined, text: string, request?: Request, answer?: Answer | Error }} Finding
 *   of the request `index`, or of all from it up to `last`
 *
 * @typedef {object} Attacked
 * @property {Pick<import('./api-process.mjs').ApiProcess, 'look' | 'takeErrors' | 'isRunning'>} api
 * @property {import('./stored-state.mjs').StoredState} state
 * @property {Pick<ReturnType<typeof import('./sender.mjs').createSender>, 'send'>} sender
 * @property {ReturnType<typeof import('./oracles.mjs').createOracles>} judge
 * @property {(finding: Finding) => void} report
 * @property {(answered: { kind: string, operation: string | undefined, status: number }) => void} onAnswered
 */

/** Calls for patience from a machine that is short of it; asked again alone, it has to be gone. */
const BUSY = 503;

/**
 * Sends one round of requests, looks at all that came of it, and puts the store back as it was.
 * @param {Attacked} attacked
 * @param {readonly Request[]} requests
 * @returns {Promise<import('./inside.mjs').Inside & { busy: number }>} busy: answers that the database is away, which it is not
 */
export async function sendRound({ api, state, sender, judge, report, onAnswered }, requests) {
  /** @type {Request[]} */
  const busy = [];
  const look = (/** @type {Request} */ request, /** @type {Answer | Error} */ answer) => {
    const { index, kind } = request;
    if (answer instanceof Error) {
      report({ index, text: answer.message, request, answer });
      return;
    }
    const { findings, operation } = judge(request, answer);
    onAnswered({ kind, operation: operation?.name, status: answer.status });
    for (const text of findings) report({ index, text, request, answer });
  };
  await sender.send(requests, (request, answer) => {
    if (!(answer instanceof Error) && answer.status === BUSY) busy.push(request);
    else look(request, answer);
  });
  for (const request of busy) await sender.send([request], look);
  for (const line of api.takeErrors()) {
    report({ index: indexOfMarker(line), text: `log: ${line.slice(0, 1_500)}` });
  }
  if (!api.isRunning()) throw new Error('The API ended');
  const inside = await api.look();
  await state.restore(inside.written);
  for (const place of inside.marked) {
    report({
      index: indexOfMarker(place),
      text: `a client's value is a key of the command ${place}`,
    });
  }
  for (const name of inside.polluted)
    report({ index: undefined, text: `every object has '${name}' now` });
  return { ...inside, busy: busy.length };
}
