// @ts-check
import fc from 'fast-check';
import { SECRET } from './canaries.mjs';
import { alternatives } from './document.mjs';

/**
 * @typedef {import('./document.mjs').Schema} Schema
 * @typedef {import('./random.mjs').Random} Random
 * @typedef {Readonly<Record<string, readonly unknown[]>>} Pools what the store knows, by the names of parameters and fields
 *
 * @typedef {object} Values
 * @property {(schema: Schema, name: string, random: Random) => unknown} valueOf a value that fits
 * @property {(schema: Schema, random: Random) => { type?: string, value: unknown }} bodyOf
 */

const SAMPLES = 25;
const SHORT = 24;
const SECRET_NAMES = new Set(['credentials']);
const LETTERS = Array.from(
  'abcXYZ019 -_.,:/%&=?#"\'<>[](){}$@!~|\\`^*+;äß한عİ\u{1f600}\u202e\u00a0\n\t',
);

/**
 * Makes values that fit a schema. Names that the store knows are mostly given values of the store.
 * @param {import('./document.mjs').Api} api
 * @param {Pools} pools
 * @param {number} seed
 * @returns {Values}
 */
export function createValues(api, pools, seed) {
  /** @type {Map<string, readonly string[]>} */
  const patterns = new Map();
  const ofPattern = (/** @type {string} */ pattern) => {
    const known = patterns.get(pattern);
    if (known) return known;
    const made = fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { seed, numRuns: SAMPLES });
    patterns.set(pattern, made);
    return made;
  };

  /** @type {(schema: Schema, name: string, random: Random, isSecret: boolean) => unknown} */
  const make = (given, name, random, isSecret) => {
    const schema = random.pick(alternatives(api, given));
    if ('const' in schema) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    const pool = pools[name];
    const isFree = schema.type !== 'object' || !schema.properties;
    if (pool && isFree && !isSecret && random.chance(0.9)) return random.pick(pool);
    switch (schema.type) {
      case 'string':
        return stringOf(schema, random, isSecret);
      case 'integer':
      case 'number':
        return numberOf(schema, random);
      case 'boolean':
        return random.chance(0.5);
      case 'array':
        return Array.from({ length: (schema.minItems ?? 0) + random.int(3) }, () =>
          make(schema.items ?? {}, name, random, isSecret),
        );
      case 'object':
        return objectOf(schema, random, isSecret);
      default:
        return random.pick([null, 0, 'text', [], {}]);
    }
  };

  /** @type {(schema: Schema, random: Random, isSecret: boolean) => unknown} */
  const objectOf = ({ properties = {}, required = [] }, random, isSecret) =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || random.chance(0.35))
        .map(([name, field]) => [
          name,
          make(field, name, random, isSecret || SECRET_NAMES.has(name)),
        ]),
    );

  /** @type {(schema: Schema, random: Random, isSecret: boolean) => string} */
  const stringOf = ({ pattern, format, minLength = 1, maxLength = 200 }, random, isSecret) => {
    if (pattern) return random.pick(ofPattern(pattern));
    if (format === 'date') return String(random.pick(pools.day ?? ['2026-01-01']));
    if (format === 'date-time') return new Date(random.int(4e12)).toISOString();
    if (isSecret) return SECRET + random.int(1e6);
    const isLong = random.chance(0.03);
    const length = isLong
      ? maxLength
      : minLength + random.int(Math.min(maxLength, SHORT) - minLength + 1);
    // Blank text is often refused, and says nothing of the rest.
    return [
      'x',
      ...Array.from({ length: Math.max(0, length - 1) }, () => random.pick(LETTERS)),
    ].join('');
  };

  return {
    valueOf: (schema, name, random) => make(schema, name, random, false),
    bodyOf: (schema, random) => {
      const value = Object.keys(api.resolve(schema)).some((key) => key !== 'description')
        ? make(schema, '', random, false)
        : random.pick(pools.upload ?? [[]]);
      return { value };
    },
  };
}

/**
 * @param {Schema} schema
 * @param {Random} random
 */
function numberOf({ minimum = -1e6, maximum = 1e6 }, random) {
  return random.pick([minimum, maximum, minimum + random.int(maximum - minimum + 1)]);
}
