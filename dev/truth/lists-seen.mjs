// @ts-check
import { CHANNELS, fillOf, LEVEL_WORDS, LISTED_LEVELS } from '../../packages/shared/dist/index.js';

/** Which lists of which channel and level had entries in the answers. */
export function createListsSeen() {
  /** @type {Map<string, { filled: boolean }>} by `<channel> <path> <list>` */
  const lists = new Map();
  return {
    /** @param {string} channel @param {string} path @param {Record<string, any>} stored one breakdown object */
    note(channel, path, stored) {
      for (const list of Object.keys(stored).slice(2)) {
        const key = `${channel} ${path} ${list}`;
        const filled = stored[list].length > 0 || lists.get(key)?.filled === true;
        lists.set(key, { filled });
      }
    },
    /** @param {string} channel @param {string} path @param {string} list @returns undefined when no day was read */
    isFilled: (channel, path, list) => lists.get(`${channel} ${path} ${list}`)?.filled,
  };
}

/** @typedef {ReturnType<typeof createListsSeen>} ListsSeen */

/**
 * Whether the lists that the channel table says are filled have had entries, and the others none.
 * @param {import('../../packages/shared/dist/index.js').ChannelType[]} types
 * @param {ListsSeen} seen
 */
export function compareClaims(types, seen) {
  let count = 0;
  /** @type {string[]} */
  const wrong = [];
  for (const channel of new Set(types).values()) {
    for (const list of CHANNELS[channel].lists) {
      for (const level of LISTED_LEVELS) {
        const path = LEVEL_WORDS[level];
        const isFilled = seen.isFilled(channel, path, list);
        if (isFilled === undefined) continue; // no day of the level was read
        count += 1;
        const isGiven = fillOf(CHANNELS[channel], level, list) !== undefined;
        if (isGiven !== isFilled) {
          wrong.push(
            `${channel} ${path} ${list}: the table says ${said(isGiven)}, the store holds ${said(isFilled)}`,
          );
        }
      }
    }
  }
  return { count, wrong };
}

/** @param {boolean} isFilled */
function said(isFilled) {
  return isFilled ? 'filled' : 'empty';
}
