// @ts-check
import { isGoNewEnough } from './ferretdb-build.mjs';

test.each([
  ['go1.24.9', false],
  ['go1.25', true],
  ['go1.25.4', true],
  ['go1.26rc1', true],
  ['go2.0', true],
  ['devel go1.30-abc', false],
  ['', false],
])('FerretDB needs Go 1.25: %s → %s', (version, expected) => {
  expect(isGoNewEnough(version)).toBe(expected);
});
