// @ts-check
import { createCommandWatch } from './command-watch.mjs';
import { markerOf } from './random.mjs';

const marker = markerOf(42);

/** @param {Record<string, unknown>} filter */
function look(filter) {
  const watch = createCommandWatch();
  watch.look({ commandName: 'find', command: { find: 'links', filter, $db: 'x' } });
  return watch.take();
}

test("a client's value is data as a value, and found as a key at any depth", () => {
  expect(look({ tag: `{"$ne":"${marker}"}`, ids: { $in: [marker] } }).marked).toEqual([]);
  expect(look({ tag: { [`$ne_${marker}`]: '' } }).marked).toEqual([
    `find links.filter.tag.$ne_${marker}`,
  ]);
  expect(look({ $or: [{ a: [{ [marker]: 1 }] }] }).marked).toHaveLength(1);
  expect(look({ tag: { _bsontype: 'Code', [marker]: 1 } }).marked).toHaveLength(1);
});

test('an operator is told with its place, the names of data left out', () => {
  const filter = { tag: { $gt: marker }, days: { '2026-11-01': { $lt: 1 } } };
  const { operators, carrying } = look(filter);
  expect(carrying).toEqual([['find links.filter.tag.$gt', marker]]);
  expect(operators).toEqual(['find links.filter.tag.$gt', 'find links.filter.days.*.$lt']);
});

test('collections that were written are told, once', () => {
  const watch = createCommandWatch();
  for (const commandName of ['insert', 'update', 'find']) {
    watch.look({ commandName, command: { [commandName]: `${commandName}s` } });
  }
  expect(watch.take().written).toEqual(['inserts', 'updates']);
  expect(watch.take().written).toEqual([]);
});
