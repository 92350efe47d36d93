// @ts-check
import { indexOfMarker } from './random.mjs';

const ROUND = 1_000;
const WARM_ROUNDS = 2;
const PAUSE_MAX_MS = 100;
const REPEATS = 2;
/** Numbers of the requests that show how the code behaves when all is well. */
const LAWFUL_FROM = 1_000_000_000;

/**
 * @typedef {import('./requests.mjs').Request} Request
 * @typedef {{ index: number | undefined, text: string, request?: Request, answer?: import('./connection.mjs').Answer | Error }} Finding
 *
 * @typedef {object} Attacked
 * @property {import('./api-process.mjs').ApiProcess} api
 * @property {import('./plan.mjs').Plan} plan
 * @property {import('./stored-state.mjs').StoredState} state
 * @property {ReturnType<typeof import('./sender.mjs').createSender>} sender
 * @property {ReturnType<typeof import('./oracles.mjs').createOracles>} judge
 * @property {import('./tally.mjs').Tally} tally
 * @property {(sent: number, outcome: Outcome) => void} onRound
 *
 * @typedef {object} Outcome
 * @property {Finding[]} findings
 * @property {number} pauseMs the longest own work of the event loop that came again when it was repeated
 * @property {number} noiseMs the longest of all
 * @property {number} commands
 * @property {number} operators known places of operators
 * @property {number[]} rssMib after each round
 */

/**
 * Rounds of requests, each from the same stored state.
 * @param {Attacked} attacked
 * @param {AbortSignal} signal
 */
export function createCampaign({ api, plan, state, sender, judge, tally, onRound }, signal) {
  /** @type {Outcome} */
  const outcome = { findings: [], pauseMs: 0, noiseMs: 0, commands: 0, operators: 0, rssMib: [] };
  /** @type {Set<string>} */
  const operators = new Set();
  const seen = new Set();

  /** @param {Finding} finding */
  const report = (finding) => {
    const key = `${finding.index} ${finding.text}`;
    if (seen.has(key)) return;
    seen.add(key);
    outcome.findings.push(finding);
  };

  /** @type {(requests: readonly Request[], options?: { isCounted: boolean }) => Promise<import('./inside.mjs').Inside>} */
  const sendAll = async (requests, { isCounted } = { isCounted: true }) => {
    await sender.send(requests, (request, answer) => {
      const { index, kind } = request;
      if (answer instanceof Error) {
        report({ index, text: answer.message, request, answer });
        return;
      }
      const { findings, operation } = judge(request, answer);
      if (isCounted) tally.add({ kind, operation: operation?.name, status: answer.status });
      for (const text of findings) report({ index, text, request, answer });
    });
    for (const line of api.takeErrors())
      report({ index: indexOfMarker(line), text: `log: ${line.slice(0, 1_500)}` });
    if (!api.isRunning()) throw new Error('The API ended');
    const inside = await api.look();
    await state.restore(inside.written);
    for (const place of inside.marked)
      report({
        index: indexOfMarker(place),
        text: `a client's value is a key of the command ${place}`,
      });
    for (const name of inside.polluted)
      report({ index: undefined, text: `every object has '${name}' now` });
    outcome.commands += inside.commands;
    return inside;
  };

  /** @type {(requests: readonly Request[], inside: import('./inside.mjs').Inside) => Promise<void>} */
  const checkOperators = async (requests, inside) => {
    const isNew = (/** @type {readonly [string, string]} */ [place]) => !operators.has(place);
    const suspects = inside.carrying.filter(isNew);
    if (operators.size === 0 || suspects.length === 0) return;
    // What the round's own good requests do is the code's.
    const good = requests.filter(({ kind }) => kind === 'valid');
    const { operators: own } = await sendAll(good, { isCounted: false });
    for (const place of own) operators.add(place);
    for (const [place, text] of suspects.filter(isNew)) {
      operators.add(place);
      const index = indexOfMarker(text);
      report({
        index,
        text: `an operator on a client's value where no valid request has one: ${place}`,
      });
    }
  };

  /** @type {(requests: readonly Request[], first: import('./inside.mjs').Inside) => Promise<void>} */
  const checkPause = async (requests, first) => {
    outcome.noiseMs = Math.max(outcome.noiseMs, first.workMs);
    let { workMs } = first;
    for (let repeat = 0; repeat < REPEATS && workMs > PAUSE_MAX_MS; repeat += 1) {
      workMs = Math.min(workMs, (await sendAll(requests, { isCounted: false })).workMs);
    }
    outcome.pauseMs = Math.max(outcome.pauseMs, workMs);
    if (workMs <= PAUSE_MAX_MS) return;
    const [from, to] = [requests[0]?.index, requests.at(-1)?.index];
    report({
      index: from,
      text: `the event loop was held up for ${workMs.toFixed(0)} ms between requests ${from} and ${to}, ${REPEATS + 1} times`,
    });
  };

  return {
    outcome,
    /** Good requests alone: what the code's own commands look like. */
    async learn() {
      for (let round = 0; round < WARM_ROUNDS && !signal.aborted; round += 1) {
        const first = LAWFUL_FROM + round * ROUND;
        const requests = Array.from({ length: ROUND }, (_, index) => plan.lawfulOf(first + index));
        for (const place of (await sendAll(requests)).operators) operators.add(place);
      }
    },
    /**
     * @param {number} from
     * @param {number} to exclusive
     */
    async attack(from, to) {
      for (let start = from; start < to && !signal.aborted; start += ROUND) {
        const length = Math.min(ROUND, to - start);
        const requests = Array.from({ length }, (_, index) => plan.requestOf(start + index));
        const inside = await sendAll(requests);
        outcome.rssMib.push(inside.rssMib);
        await checkOperators(requests, inside);
        await checkPause(requests, inside);
        onRound(start + length, outcome);
      }
      outcome.operators = operators.size;
    },
  };
}
