// @ts-check
import { PAYLOADS, withMarker } from './corpus.mjs';
import { alternatives, inputsOf } from './document.mjs';
import { hostileRequest } from './hostile.mjs';
import { breakOne } from './near-misses.mjs';
import { markerOf, randomOf } from './random.mjs';
import { finish, headerText, isObject, validDraft } from './requests.mjs';
import { createValues } from './values.mjs';

/**
 * @typedef {import('./requests.mjs').Request} Request
 * @typedef {import('./requests.mjs').Draft} Draft
 * @typedef {import('./document.mjs').Input} Input
 * @typedef {{ own: NextPages, foreign: NextPages }} Pages
 * @typedef {import('./next-pages.mjs').NextPages} NextPages
 *
 * @typedef {object} Plan
 * @property {(index: number) => Request} requestOf the request of a number, always the same
 * @property {(index: number) => Request} lawfulOf one that fits the document in all
 * @property {(operation: import('./document.mjs').Operation, attempt: number, tenant: 'own' | 'foreign') => Draft} draftOf
 * @property {(pages: Pages) => void} usePages
 * @property {number} inputs
 * @property {number} payloads
 * @property {number} corpusEnd with so many requests every payload was sent to every input
 */

/** Prime, so that it meets every place of a corpus that is no multiple of it; a short run sees some of everything. */
const STRIDE = 7_919;
/** Every second request is of the corpus. */
const CORPUS_EVERY = 2;
/** From this number on all requests fit the document: they show how the code behaves when all is well. */
export const LAWFUL_FROM = 1_000_000_000;
const LIST_FROM = 2_000_000_000;

/**
 * @param {object} options
 * @param {import('./document.mjs').Api} options.api
 * @param {ReturnType<typeof import('./pools.mjs').createPools>} options.pools
 * @param {number} options.seed
 * @param {string} options.host
 * @param {string} options.key
 * @returns {Plan}
 */
export function createPlan({ api, pools, seed, host, key }) {
  /** @type {Pages} */
  let pages = { own: new Map(), foreign: new Map() };
  const values = createValues(api, pools.own, seed);
  const foreign = createValues(api, pools.foreign, seed);
  const deleting = createValues(api, { ...pools.own, ...pools.deletable }, seed);
  const inputs = inputsOf(api);
  const size = inputs.length * PAYLOADS.length;

  /** @type {(operation: import('./document.mjs').Operation, random: import('./random.mjs').Random) => Draft} */
  const draftOf = (operation, random) => {
    const draft = validDraft(operation, {
      values: operation.method === 'DELETE' ? deleting : values,
      random,
    });
    const page = pages.own.get(operation.name);
    if (page && random.chance(0.3)) draft.query = page.map(([name, value]) => [name, value]);
    return draft;
  };

  /** @param {number} index */
  const lawfulOf = (index) => {
    const random = randomOf(seed, index);
    return finish(draftOf(random.pick(api.operations), random), { index, kind: 'valid', what: '' });
  };

  /** @param {number} index */
  const injectionOf = (index) => {
    const random = randomOf(seed, index);
    const place = ((index / CORPUS_EVERY) * STRIDE) % size;
    const input = inputs[Math.floor(place / PAYLOADS.length)];
    const payload = PAYLOADS[place % PAYLOADS.length];
    if (!input || !payload) throw new Error(`The corpus has no place ${place}`);
    const what = `${payload.family} in ${input.place}.${input.path.join('.')}`;
    const marker = markerOf(index);
    return inject(draftOf(input.operation, random), input, {
      ...withMarker(payload, marker),
      api,
      values,
      random,
      about: { index, kind: 'injection', what },
      marker,
    });
  };

  /** @param {number} index */
  const mixedOf = (index) => {
    const random = randomOf(seed, index);
    const operation = random.pick(api.operations);
    const way = random.int(10);
    if (way < 3) return lawfulOf(index);
    const draft = draftOf(operation, random);
    if (way < 6) {
      const what = breakOne(draft, random);
      return finish(draft, { index, kind: 'nearly valid', what });
    }
    const marker = markerOf(index);
    return hostileRequest(
      { draft, random, marker, pools, foreignPages: pages.foreign, host, key },
      { index, kind: 'hostile' },
    );
  };

  return {
    inputs: inputs.length,
    payloads: PAYLOADS.length,
    corpusEnd: size * CORPUS_EVERY,
    draftOf: (operation, attempt, tenant) => ({
      ...validDraft(operation, {
        values: tenant === 'own' ? values : foreign,
        random: randomOf(seed, LIST_FROM + attempt),
      }),
      caller: tenant,
    }),
    usePages(found) {
      pages = found;
    },
    lawfulOf,
    requestOf(index) {
      if (index >= LAWFUL_FROM) return lawfulOf(index);
      return index % CORPUS_EVERY === 0 ? injectionOf(index) : mixedOf(index);
    },
  };
}

/**
 * @param {Draft} draft
 * @param {Input} input
 * @param {{ text: string, json: unknown, api: import('./document.mjs').Api, values: import('./values.mjs').Values, random: import('./random.mjs').Random,
 *   about: { index: number, kind: string, what: string }, marker: string }} injection
 * @returns {Request}
 */
function inject(
  draft,
  { operation, place, path, variant },
  { text, json, api, values, random, about, marker },
) {
  const [name = ''] = path;
  if (place === 'query') {
    draft.query = draft.query.filter(([one]) => one !== name);
    draft.query.push([name, text]);
  } else if (place === 'path') {
    draft.path[name] = text;
  } else if (place === 'header') {
    draft.headers = draft.headers.filter(([one]) => one !== name);
    draft.headers.push([name, headerText(text)]);
  } else {
    const parts = alternatives(api, operation.bodies?.['application/json'] ?? {});
    const body = parts.length > 1 ? values.bodyOf(parts[variant] ?? {}, random) : draft.body;
    // As text and as JSON in turn: a field of text stores the one, and must refuse the other.
    draft.body = withValue(body, path, random.chance(0.5) ? json : text);
  }
  const isSecret = place === 'body' && name === 'credentials' && path.length > 1;
  return finish(draft, about, { secrets: isSecret && text.includes(marker) ? [marker] : [] });
}

/**
 * @param {unknown} body
 * @param {readonly string[]} path
 * @param {unknown} value
 * @returns {unknown}
 */
function withValue(body, [name, ...rest], value) {
  if (name === undefined) return value;
  const own = isObject(body) ? body : {};
  return { ...own, [name]: withValue(own[name], rest, value) };
}
