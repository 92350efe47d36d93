// @ts-check
import { createRandom } from '../bench/figures.mjs';

/**
 * Choices that are the same for the same seed and request number on every machine.
 * @typedef {object} Random
 * @property {(below: number) => number} int from 0
 * @property {(probability: number) => boolean} chance
 * @property {<Item>(items: readonly Item[]) => Item} pick
 */

/**
 * @param {number} seed
 * @param {number} index of a request
 * @returns {Random}
 */
export function randomOf(seed, index) {
  const next = createRandom(
    Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(index + 1, 0xc2b2_ae35),
  );
  next(); // neighbouring numbers begin alike
  /** @param {number} below */
  const int = (below) => Math.floor(next() * below);
  return {
    int,
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[int(items.length)];
      if (item === undefined) throw new Error('There is nothing to pick from');
      return item;
    },
  };
}

/** @param {number} index */
export function markerOf(index) {
  return `fz${index.toString(36)}zf`;
}

/** What finds markers and the requests that they belong to. */
const MARKER = /fz([0-9a-z]+?)zf/;

/**
 * @param {string} text
 * @returns {number | undefined} the number of the request whose marker the text holds
 */
export function indexOfMarker(text) {
  const found = MARKER.exec(text)?.[1];
  return found === undefined ? undefined : Number.parseInt(found, 36);
}
