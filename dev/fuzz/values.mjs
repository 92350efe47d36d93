// @ts-check
import fc from 'fast-check';
import { SECRET } from './canaries.mjs';
import { alternatives } from './document.mjs';

/**
 * @typedef {import('./document.mjs').Schema} Schema
 * @typedef {import('./random.mjs').Random} Random
 * @typedef {{ random: Random, isSecret: boolean }} Making isSecret: below credentials
 * @typedef {Readonly<Record<string, readonly unknown[]>>} Pools what the store knows, by the names of parameters and fields
 *
 * @typedef {object} Values
 * @property {(schema: Schema, name: string, random: Random) => unknown} valueOf a value that fits
 * @property {(schema: Schema, random: Random) => unknown} bodyOf
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
  const samplesOf = createSamples(seed);
  const days = pools.day ?? ['2026-01-01'];

  /** @type {(schema: Schema, name: string, making: Making) => unknown} */
  const make = (given, name, making) => {
    const { random, isSecret } = making;
    const schema = random.pick(alternatives(api, given));
    if ('const' in schema) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    const pool = pools[name];
    const isFree = schema.type !== 'object' || !schema.properties;
    if (pool && isFree && !isSecret && random.chance(0.9)) return random.pick(pool);
    switch (schema.type) {
      case 'string':
        if (schema.pattern) return random.pick(samplesOf(schema.pattern));
        return schema.format === 'date' ? random.pick(days) : textOf(schema, making);
      case 'integer':
      case 'number':
        return numberOf(schema, random);
      case 'boolean':
        return random.chance(0.5);
      case 'array':
        return Array.from({ length: (schema.minItems ?? 0) + random.int(3) }, () =>
          make(schema.items ?? {}, name, making),
        );
      case 'object':
        return objectOf(schema, making);
      default:
        return random.pick([null, 0, 'text', [], {}]);
    }
  };

  /** @type {(schema: Schema, making: Making) => unknown} */
  const objectOf = ({ properties = {}, required = [] }, { random, isSecret }) =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || random.chance(0.35))
        .map(([name, field]) => {
          const making = { random, isSecret: isSecret || SECRET_NAMES.has(name) };
          return [name, make(field, name, making)];
        }),
    );

  return {
    valueOf: (schema, name, random) => make(schema, name, { random, isSecret: false }),
    bodyOf: (schema, random) =>
      Object.keys(api.resolve(schema)).some((key) => key !== 'description')
        ? make(schema, '', { random, isSecret: false })
        : random.pick(pools.upload ?? [[]]),
  };
}

/**
 * Texts that fit a pattern, made once.
 * @param {number} seed
 */
function createSamples(seed) {
  /** @type {Map<string, readonly string[]>} */
  const known = new Map();
  return (/** @type {string} */ pattern) => {
    const samples =
      known.get(pattern) ??
      fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { seed, numRuns: SAMPLES });
    known.set(pattern, samples);
    return samples;
  };
}

/** @type {(schema: Schema, making: Making) => string} */
function textOf({ format, minLength = 1, maxLength = 200 }, { random, isSecret }) {
  if (format === 'date-time') return new Date(random.int(4e12)).toISOString();
  if (isSecret) return SECRET + random.int(1e6);
  const isLong = random.chance(0.03);
  const length = isLong
    ? maxLength
    : minLength + random.int(Math.min(maxLength, SHORT) - minLength + 1);
  const rest = Array.from({ length: Math.max(0, length - 1) }, () => random.pick(LETTERS));
  return `x${rest.join('')}`; // blank text is often refused, and says nothing of the rest
}

/**
 * @param {Schema} schema
 * @param {Random} random
 */
function numberOf({ minimum = -1e6, maximum = 1e6 }, random) {
  return random.pick([minimum, maximum, minimum + random.int(maximum - minimum + 1)]);
}
