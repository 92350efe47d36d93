// @ts-check
import { createRequire } from 'node:module';

/**
 * @typedef {(schema: import('./document.mjs').Schema, value: unknown) => string | undefined} Misfit what does not fit, in words
 */

// The versions that the API itself uses and checks its answers with.
const require = createRequire(new URL('../../apps/api/package.json', import.meta.url));
/** @type {typeof import('ajv/dist/2020.js')} */
const { Ajv2020 } = require('ajv/dist/2020.js');
/** @type {typeof import('csv-parse/sync')} */
const { parse } = require('csv-parse/sync');

const FORMATS = {
  uuid: /^[0-9a-f-]{36}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
};
const SHOWN_MAX = 300;

/**
 * @param {import('./document.mjs').Api} api
 * @returns {Misfit}
 */
export function createMisfit(api) {
  const ajv = new Ajv2020({ strict: false, formats: FORMATS });
  /** @type {Map<object, import('ajv').ValidateFunction>} */
  const validators = new Map();
  return (schema, value) => {
    const validate =
      validators.get(schema) ?? ajv.compile({ ...schema, components: api.components });
    validators.set(schema, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors).slice(0, SHOWN_MAX);
  };
}

/**
 * Every line of a table has as many cells as the first, and ends.
 * @param {string} text
 * @returns {string | undefined} what is wrong, in words
 */
export function csvMisfit(text) {
  if (!text.endsWith('\r\n')) return 'its last line does not end';
  try {
    parse(text, { record_delimiter: '\r\n' });
    return undefined;
  } catch (error) {
    return String(error).slice(0, SHOWN_MAX);
  }
}
