// @ts-check
import { indexOfMarker } from './random.mjs';

const SHOWN_MAX = 20;

/** @typedef {{ commandName: string, command: Record<string, unknown> }} Command as the driver tells of it */

const ADDED_BY_DRIVER = new Set(['$db', '$clusterTime', '$readPreference']);
const WRITING = new Set(['insert', 'update', 'delete', 'findAndModify']);

/**
 * Watches the keys of commands: none may hold a client's marker, and the places of operators are those that the code itself
 * writes. Values are the client's to choose.
 */
export function createCommandWatch() {
  /** @type {Set<string>} */
  let operators = new Set();
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
      walk(command, `${commandName} ${collection}`, (key, place) => {
        if (indexOfMarker(key) !== undefined && marked.length < SHOWN_MAX) marked.push(`${place}.${key}`);
        if (key.startsWith('$') && !ADDED_BY_DRIVER.has(key)) operators.add(`${place}.${key}`);
      });
    },
    /** What was seen since it was asked last. */
    take() {
      const seen = { commands, operators: [...operators], written: [...written], marked };
      operators = new Set();
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
 * @param {(key: string, place: string) => void} visit
 */
function walk(value, place, visit) {
  if (typeof value !== 'object' || value === null || isLeaf(value)) return;
  if (Array.isArray(value)) {
    for (const item of value) walk(item, `${place}[]`, visit);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    visit(key, place);
    walk(item, `${place}.${stepOf(key)}`, visit);
  }
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
