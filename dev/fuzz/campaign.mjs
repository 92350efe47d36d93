// @ts-check
import { LAWFUL_FROM } from './plan.mjs';
import { indexOfMarker } from './random.mjs';
import { sendRound } from './round.mjs';

const ROUND = 1_000;
const WARM_ROUNDS = 2;
const PAUSE_MAX_MS = 100;
const REPEATS = 2;

/**
 * @typedef {import('./requests.mjs').Request} Request
 * @typedef {import('./round.mjs').Finding} Finding
 * @typedef {Awaited<ReturnType<typeof sendRound>>} Inside
 *
 * @typedef {object} Own
 * @property {Pick<import('./plan.mjs').Plan, 'requestOf' | 'lawfulOf'>} plan
 * @property {Pick<import('./tally.mjs').Tally, 'add'>} tally
 * @property {(sent: number, outcome: Outcome) => void} onRound
 *
 * @typedef {object} Outcome
 * @property {Finding[]} findings
 * @property {number} pauseMs the longest own work of the event loop that came again when it was repeated
 * @property {number} noiseMs the longest of all
 * @property {number} gapMs the longest time for which the event loop did not come round, whatever it waited for
 * @property {number} busy answers that were 503 only once
 * @property {number} commands
 * @property {number} operators known places of operators
 * @property {number[]} rssMib after each round
 */

/**
 * Rounds of requests, each from the same stored state.
 * @param {Own & Omit<import('./round.mjs').Attacked, 'report' | 'onAnswered'>} attacked
 * @param {AbortSignal} signal no round begins after it
 */
export function createCampaign({ plan, tally, onRound, ...attacked }, signal) {
  /** @type {Outcome} */
  const outcome = {
    pauseMs: 0,
    noiseMs: 0,
    gapMs: 0,
    busy: 0,
    commands: 0,
    operators: 0,
    findings: [],
    rssMib: [],
  };
  /** @type {Set<string>} */
  const operators = new Set();
  const report = createReport(outcome.findings);

  /** @type {(requests: readonly Request[], options?: { isCounted: boolean }) => Promise<Inside>} */
  const send = async (requests, { isCounted } = { isCounted: true }) => {
    const onAnswered = isCounted ? tally.add : () => {};
    const inside = await sendRound({ ...attacked, report, onAnswered }, requests);
    outcome.commands += inside.commands;
    outcome.busy += inside.busy;
    return inside;
  };

  /** @type {(requests: readonly Request[], inside: Inside) => Promise<void>} */
  const checkOperators = async (requests, inside) => {
    const isNew = (/** @type {readonly [string, string]} */ [place]) => !operators.has(place);
    const suspects = inside.carrying.filter(isNew);
    if (operators.size === 0 || suspects.length === 0) return;
    // What the round's own good requests do is the code's.
    const good = requests.filter(({ kind }) => kind === 'valid');
    const { operators: own } = await send(good, { isCounted: false });
    for (const place of own) operators.add(place);
    for (const [place, text] of suspects.filter(isNew)) {
      operators.add(place);
      const words = `an operator on a client's value where no valid request has one: ${place}`;
      report({ index: indexOfMarker(text), text: words });
    }
  };

  /** @type {(requests: readonly Request[], first: Inside) => Promise<void>} */
  const checkPause = async (requests, first) => {
    const repeat = async () => (await send(requests, { isCounted: false })).workMs;
    const pauseMs = await confirmedPause(first.workMs, repeat);
    outcome.gapMs = Math.max(outcome.gapMs, first.gapMs);
    outcome.noiseMs = Math.max(outcome.noiseMs, first.workMs);
    outcome.pauseMs = Math.max(outcome.pauseMs, pauseMs);
    if (pauseMs <= PAUSE_MAX_MS) return;
    const [index, last] = [requests[0]?.index, requests.at(-1)?.index];
    const text = `the event loop was held up for ${pauseMs.toFixed(0)} ms between requests ${index} and ${last}, ${REPEATS + 1} times`;
    report({ index, last, text });
  };

  return {
    outcome,
    /** Good requests alone: what the code's own commands look like. */
    async learn() {
      for (let round = 0; round < WARM_ROUNDS && !signal.aborted; round += 1) {
        const first = LAWFUL_FROM + round * ROUND;
        const requests = Array.from({ length: ROUND }, (_, index) => plan.lawfulOf(first + index));
        for (const place of (await send(requests)).operators) operators.add(place);
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
        const inside = await send(requests);
        outcome.rssMib.push(inside.rssMib);
        await checkOperators(requests, inside);
        await checkPause(requests, inside);
        outcome.operators = operators.size;
        onRound(start + length, outcome);
      }
    },
  };
}

/**
 * Some pauses are those of a machine, of the garbage, or of code that is compiled: they do not come again.
 * @param {number} firstMs
 * @param {() => Promise<number>} repeat
 * @returns {Promise<number>} the shortest of the pause and its repetitions
 */
async function confirmedPause(firstMs, repeat) {
  let pauseMs = firstMs;
  for (let times = 0; times < REPEATS && pauseMs > PAUSE_MAX_MS; times += 1) {
    pauseMs = Math.min(pauseMs, await repeat());
  }
  return pauseMs;
}

/**
 * Each finding once, however often its round is repeated.
 * @param {Finding[]} findings
 */
function createReport(findings) {
  const seen = new Set();
  return (/** @type {Finding} */ finding) => {
    const key = `${finding.index} ${finding.text}`;
    if (seen.has(key)) return;
    seen.add(key);
    findings.push(finding);
  };
}
