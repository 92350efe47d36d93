// @ts-check
import { ALL_OF, BESIDE, METHODS, ONE_OF } from './header-choices.mjs';

/**
 * @typedef {import('./hostile.mjs').Attack} Attack
 * @typedef {[what: string, headers: readonly (readonly [string, string])[]]} Row
 */

const ALONE = new Set(['a large header', 'many headers', 'upgrade', 'Expect']);

/**
 * Tricks with the headers and the method of a request.
 * @param {Attack} attack
 * @returns {import('./hostile.mjs').Change}
 */
export function hostileHeaders(attack) {
  const { draft, random, marker } = attack;
  const keyed = keyRows(attack);
  const [what, marked] = random.pick([...keyed, ...ALL_OF, ...ONE_OF.map(rowOf(random))]);
  const headers = marked.map(
    ([name, value]) => /** @type {[string, string]} */ ([name, value.replaceAll('%M', marker)]),
  );
  const replaced = new Set(headers.map(([name]) => name));
  const all = [...draft.headers.filter(([name]) => !replaced.has(name)), ...headers];
  if (random.chance(0.2)) {
    const method = random.pick(METHODS);
    const isAlone = what === 'a large header';
    return { what: `${method}, and headers: ${what}`, method, headers: all, isAlone };
  }
  return {
    what: `headers: ${what}`,
    headers: all,
    caller: keyed.some(([one]) => one === what) ? 'nobody' : draft.caller,
    isAlone: ALONE.has(what),
  };
}

/** @param {import('./random.mjs').Random} random */
function rowOf(random) {
  return (/** @type {(typeof ONE_OF)[number]} */ [what, name, values]) =>
    /** @type {Row} */ ([what, [[name, random.pick(values)], ...(BESIDE[what] ?? [])]]);
}

/**
 * Keys that nobody was given, and one that was in ways that it is not sent.
 * @param {Attack} attack
 * @returns {Row[]}
 */
function keyRows({ random, key }) {
  const half = key.slice(0, -1);
  const schemes = [
    `Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
    key,
    'Bearer',
    'Bearer ',
    `Bearer ${key} ${key}`,
    `bearer   ${key}`,
    'Digest x',
  ];
  return [
    ['an operator as the key', [['X-API-Key', '{"$ne":"%M"}']]],
    ['a cut key', [['Authorization', `Bearer ${half}`]]],
    ['a changed key', [['Authorization', `Bearer ${half}${key.endsWith('a') ? 'b' : 'a'}`]]],
    ['a key of another case', [['Authorization', `Bearer ${key.toUpperCase()}`]]],
    [
      'two keys',
      [
        ['Authorization', `Bearer ${key}`],
        ['X-API-Key', 'trb_%M'],
      ],
    ],
    [
      'a key twice',
      [
        ['X-API-Key', key],
        ['X-API-Key', key],
      ],
    ],
    ['another scheme', [['Authorization', random.pick(schemes)]]],
    ['a long key', [['Authorization', `Bearer trb_${'a'.repeat(random.pick([500, 8_000]))}`]]],
  ];
}
