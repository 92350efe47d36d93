// @ts-check
import { commandOf } from './requests.mjs';
import { tableLines } from './tally.mjs';

const SHOWN_MAX = 40;
const BODY_SHOWN = 600;

/**
 * @param {object} given
 * @param {(line: string) => void} given.log
 * @param {import('./arguments.mjs').Arguments} given.options
 * @param {import('./document.mjs').Api} given.api
 * @param {import('./plan.mjs').Plan} given.plan
 * @param {import('./tally.mjs').Tally} given.tally
 * @param {import('./campaign.mjs').Outcome} given.outcome
 * @param {number} given.port
 * @param {number} given.took seconds
 * @returns {boolean} true when nothing was found
 */
export function printReport({ log, options, api, plan, tally, outcome, port, took }) {
  const { seed, only } = options;
  for (const finding of outcome.findings.slice(0, SHOWN_MAX)) {
    for (const line of findingLines(finding, { seed, port, isWhole: only !== undefined }))
      log(line);
  }
  const hidden = outcome.findings.length - SHOWN_MAX;
  if (hidden > 0) log(`… and ${hidden} more`);
  const { kinds, operations } = tally;
  for (const table of [kinds, operations]) log(['', ...tableLines(table)].join('\n'));
  const unreached = only
    ? []
    : api.operations
        .map(({ name }) => name)
        .filter(
          (name) => ![...(operations.get(name)?.keys() ?? [])].some((status) => status < 300),
        );
  log('');
  if (outcome.commands === 0) log('No database command was seen');
  for (const name of unreached) log(`${name} was never answered with 2xx`);
  const [firstMib = 0] = outcome.rssMib;
  log(
    [
      `${tally.count()} requests, ${Math.round(tally.count() / took)} a second`,
      `Injection: ${plan.payloads} payloads x ${plan.inputs} inputs, ${corpusShare(plan, tally)}`,
      `${outcome.commands} database commands: ${outcome.operators} places of operators, all from valid requests unless told above`,
      `Longest own work between two rounds of the event loop: ${outcome.pauseMs.toFixed(1)} ms; ${outcome.noiseMs.toFixed(1)} ms with what did not come again`,
      `Longest time without a round: ${outcome.gapMs.toFixed(1)} ms, waiting for a core included`,
      `Resident memory ${firstMib} MiB after the first round, ${outcome.rssMib.at(-1) ?? 0} MiB after the last`,
      `${outcome.busy} answers were 503 once and good when asked again alone`,
      `Findings: ${outcome.findings.length}`,
    ].join('\n'),
  );
  return outcome.findings.length + unreached.length === 0 && outcome.commands > 0;
}

/** @type {(plan: import('./plan.mjs').Plan, tally: import('./tally.mjs').Tally) => string} */
function corpusShare({ payloads, inputs }, { kinds }) {
  const sent = [...(kinds.get('injection')?.values() ?? [])].reduce((sum, one) => sum + one, 0);
  const all = payloads * inputs;
  return sent >= all ? `all ${all} sent` : `${sent} of ${all} sent`;
}

/**
 * @param {import('./round.mjs').Finding} finding
 * @param {{ seed: number, port: number, isWhole: boolean }} options
 */
function findingLines({ index, last, text, request, answer }, { seed, port, isWhole }) {
  const lines = ['', `FOUND ${text}`];
  if (index !== undefined) {
    const range = last === undefined ? index : `${index}-${last}`;
    lines.push(`  again: npm run fuzz -- --seed ${seed} --only ${range}`);
  }
  if (request)
    lines.push(
      `  request ${request.index}, ${request.kind}${request.what && `: ${request.what}`}`,
      `  ${commandOf(request, port)}`,
    );
  if (answer && !(answer instanceof Error)) {
    const body = answer.body.toString();
    lines.push(
      `  answer ${answer.status} ${isWhole ? JSON.stringify(answer.headers) : ''} ${isWhole ? body : body.slice(0, BODY_SHOWN)}`,
    );
  }
  return lines;
}
