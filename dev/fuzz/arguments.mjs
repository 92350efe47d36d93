// @ts-check
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/**
 * @typedef {object} Arguments
 * @property {number | undefined} requests
 * @property {number | undefined} seconds after which no round begins
 * @property {number} seed
 * @property {[number, number] | undefined} only the requests from the first number up to the second, without it
 */

/**
 * @param {string[]} args
 * @returns {Arguments}
 */
export function readArguments(args) {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: 'string' },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
    },
  });
  const [first, last = first] = values.only?.split('-') ?? [];
  return {
    requests: wholeNumber('requests', values.requests),
    seconds: wholeNumber('seconds', values.seconds),
    seed: wholeNumber('seed', values.seed) ?? randomInt(2 ** 31),
    only:
      first === undefined
        ? undefined
        : [wholeNumber('only', first) ?? 0, (wholeNumber('only', last) ?? 0) + 1],
  };
}

/**
 * @param {string} name
 * @param {string | undefined} text
 */
function wholeNumber(name, text) {
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Error(`--${name} '${text}', expected a whole number`);
}
