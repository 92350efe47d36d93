import { readIfMatch } from './if-match.ts';

it.each([
  [undefined, undefined],
  ['*', undefined],
  [' * ', undefined],
  ['"a"', ['a']],
  ['"a", "b"', ['a', 'b']],
  ['"a" , W/"b"', ['a']],
  ['W/"a"', []],
  ['a', []],
  ['', []],
])('If-Match: %j names %j', (header, tags) => {
  expect(readIfMatch(header)).toEqual(tags);
});
