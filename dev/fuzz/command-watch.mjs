// @ts-check
import { indexOfMarker } from './random.mjs';

const SHOWN_MAX = 20;

/** @typedef {{ commandName: string, command: Record<string, unknown> }} Command as the driver tells of it */

const ADDED_BY_DRIVER = new Set(['$db', '$clusterTime', '$readPreference']);
const WRITING = new Set(['insert', 'update', 'delete', 'findAndModify']);

/**
 * Watches the keys of commands: none may hold a client's marker, and an operator on a client's value stands only where the code
 * itself puts it. Values are the client's to choose.
 */
export function createCommandWatch() {
  /** @type {Set<string>} */
  let operators = new Set();
  /** @type {Map<string, string>} */
  let carrying = new Map();
  /** @type {Set<string>} */
  let written = new Set();
  /** @type {string[]} */
  let marked = [];
  let commands = 0;
  return {
    /** @param {Command} event */
    look({ commandName, command }) {
      commands += 1;
      const collection = String(command.collection ?? command[commandName]);
      if (WRITING.has(commandName)) written.add(collection);
      walk(command, `${commandName} ${collection}`, (key, place, value) => {
        if (indexOfMarker(key) !== undefined && marked.length < SHOWN_MAX)
          marked.push(`${place}.${key}`);
        if (!key.startsWith('$') || ADDED_BY_DRIVER.has(key)) return;
        const operator = `${place}.${key}`;
        operators.add(operator);
        const mark = carrying.has(operator) ? undefined : markerIn(value);
        if (mark !== undefined) carrying.set(operator, mark);
      });
    },
    /** What was seen since it was asked last. */
    take() {
      const seen = {
        commands,
        operators: [...operators],
        carrying: [...carrying],
        written: [...written],
        marked,
      };
      operators = new Set();
      carrying = new Map();
      written = new Set();
      marked = [];
      commands = 0;
      return seen;
    },
  };
}

/**
 * @param {unknown} value
 * @param {string} place
 * @param {(key: string, place: string, value: unknown) => void} visit
 */
function walk(value, place, visit) {
  if (typeof value !== 'object' || value === null || isLeaf(value)) return;
  if (Array.isArray(value)) {
    for (const item of value) walk(item, `${place}[]`, visit);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    visit(key, place, item);
    walk(item, `${place}.${stepOf(key)}`, visit);
  }
}

/**
 * @param {unknown} value
 * @returns {string | undefined} the first text in it that holds a client's marker
 */
function markerIn(value) {
  if (typeof value === 'string') return indexOfMarker(value) === undefined ? undefined : value;
  if (typeof value !== 'object' || value === null || isLeaf(value)) return undefined;
  for (const item of Object.values(value)) {
    const found = markerIn(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Keys that are data, such as days and numbers, are all one step.
 * @param {string} key
 */
function stepOf(key) {
  return /^\$?[A-Za-z_]+$/.test(key) ? key : '*';
}

/**
 * Values of the driver's own classes; an object of a client that only says to be one is looked into.
 * @param {object} value
 */
function isLeaf(value) {
  const isBson = '_bsontype' in value && !Object.hasOwn(value, '_bsontype');
  return Buffer.isBuffer(value) || value instanceof Date || isBson;
}
