// @ts-check
/**
 * Loaded into the API's process beside its own code (`node --import`). Looks at every command that goes to MongoDB, and at how
 * long the event loop is held up; both are told when the parent asks.
 */
import { createRequire } from 'node:module';
import { watchLoop } from '../bench/loop-watch.mjs';
import { createCommandWatch } from './command-watch.mjs';

/**
 * @typedef {object} Inside what happened since it was asked last
 * @property {number} workMs the most processor time of the thread between two rounds of the event loop
 * @property {number} gapMs the longest time for which it did not come round
 * @property {number} rssMib
 * @property {number} commands sent to MongoDB
 * @property {string[]} marked commands with a client's value in a key
 * @property {string[]} operators their places in commands
 * @property {[place: string, text: string][]} carrying places of operators on a client's value
 * @property {string[]} written collections
 * @property {string[]} polluted keys that every object has now
 */

const everyMs = 5;
const ownNames = new Set(Object.getOwnPropertyNames(Object.prototype));
const loop = watchLoop(everyMs);
const commands = createCommandWatch();

// The driver of the package that alone uses it; its clients are made later, by the API's own code.
const require = createRequire(new URL('../../packages/database/package.json', import.meta.url));
/** @type {typeof import('mongodb')} */
const { MongoClient } = require('mongodb');
const { connect } = MongoClient.prototype;
MongoClient.prototype.connect = function connectWatched() {
  Object.assign(this, { monitorCommands: true });
  this.on('commandStarted', commands.look);
  return connect.call(this);
};

process.on('message', () => {
  process.send?.({
    ...loop.take(),
    rssMib: Math.round(process.memoryUsage.rss() / 1024 ** 2),
    ...commands.take(),
    polluted: Object.getOwnPropertyNames(Object.prototype).filter((name) => !ownNames.has(name)),
  });
});
process.channel?.unref();
