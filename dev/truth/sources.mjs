// @ts-check
/** @typedef {{ api: string, sandbox: string, links: Link[] }} Run what `npm start` writes down */
/** @typedef {{ id: string, type: import('../../packages/shared/dist/index.js').ChannelType, child?: { id: string }[] }} Link */
/** @typedef {{ start: string, end: string }} Range whole days, both included */
/** @typedef {import('./figures.mjs').Figures} Figures */
/** @typedef {{ date: string, entity: string, total: Figures, lists: Record<string, ({ value: string } & Figures)[]>, unattributed: Record<string, Figures> }} TruthDay */

const TIMEOUT_MS = 120_000;

/**
 * @param {string} address
 * @param {Record<string, string>} [parameters]
 * @returns {Promise<{ status: number, headers: Headers, body: any }>}
 */
export async function get(address, parameters = {}) {
  const url = new URL(address);
  url.search = new URLSearchParams(parameters).toString();
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const body = await response.json();
  return { status: response.status, headers: response.headers, body };
}

/**
 * @param {string} address
 * @param {Record<string, string>} [parameters]
 */
export async function getOk(address, parameters = {}) {
  const answer = await get(address, parameters);
  if (answer.status === 200) return answer;
  const asked = new URLSearchParams(parameters);
  throw new Error(
    `${address}?${asked.toString()}: ${answer.status} ${JSON.stringify(answer.body)}`,
  );
}

/**
 * What is true of an account's level over a range, by `<entity> <date>`.
 * @param {Run} run
 * @param {Record<string, string>} question
 * @returns {Promise<Map<string, TruthDay>>}
 */
export async function truthOf({ sandbox }, question) {
  const { body } = await getOk(`${sandbox}/__sandbox/truth`, question);
  return new Map(
    body.days.map((/** @type {TruthDay} */ day) => [`${day.entity} ${day.date}`, day]),
  );
}
