// @ts-check
import { shortLine } from './follow-log.mjs';

test.each([
  ['{"level":"warn","msg":"slow"}', 'warn: slow'],
  ['{"level":40,"msg":"slow"}', 'warn: slow'],
  ['{"level":"error","msg":"failed","err":{"message":"why"}}', 'error: failed (why)'],
  ['{"level":60,"msg":"gone"}', 'fatal: gone'],
  ['TypeError: no logger yet', 'TypeError: no logger yet'],
])('%s is shown', (line, expected) => {
  expect(shortLine(line)).toBe(expected);
});

test.each(['{"level":"info","msg":"x"}', '{"level":30,"msg":"x"}', '{"msg":"no level"}', '', '  '])(
  '%j is not shown',
  (line) => {
    expect(shortLine(line)).toBeUndefined();
  },
);
