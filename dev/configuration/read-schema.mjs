// @ts-check
import { z } from 'zod';

/**
 * @typedef {object} Variable
 * @property {string} name
 * @property {string} meaning
 * @property {boolean} required without it the app does not start
 * @property {string} fallback what the app uses when the variable is not set; blank when that is nothing
 * @property {readonly string[]} values the only ones that are accepted; empty when there is no such list
 */

/**
 * The variables of an environment schema, in its order. What happens without a variable is not read from the schema's insides but tried.
 * @param {import('zod').ZodObject} schema
 * @returns {Variable[]}
 */
export function readSchema(schema) {
  return Object.entries(schema.shape).map(([name, type]) => {
    const absent = z.safeParse(type, undefined);
    const meaning = z.globalRegistry.get(type)?.description;
    if (!meaning) throw new TypeError(`The variable ${name} is not described`);
    return {
      name,
      meaning,
      required: !absent.success,
      fallback: absent.success ? textOf(absent.data) : '',
      values: valuesOf(type),
    };
  });
}

/**
 * A parsed value as it would be written into the environment.
 * @param {unknown} value
 */
function textOf(value) {
  const isList = value instanceof Map || value instanceof Set;
  if (value === undefined || (isList && value.size === 0)) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`A default of the type ${typeof value} cannot be written down`);
}

/**
 * @param {import('zod').core.$ZodType} type
 * @returns {readonly string[]}
 */
function valuesOf(type) {
  for (const io of /** @type {const} */ (['input', 'output'])) {
    const { enum: values } = z.toJSONSchema(type, { io, unrepresentable: 'any' });
    if (values) return values.map(String);
  }
  return [];
}
