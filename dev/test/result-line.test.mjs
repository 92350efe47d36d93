// @ts-check
import { resultLine } from './result-line.mjs';

const counts = {
  numPassedTests: 7,
  numFailedTests: 0,
  numPendingTests: 0,
  numRuntimeErrorTestSuites: 0,
};

test('a run in which every test passed is good', () => {
  expect(resultLine(counts, 0)).toEqual({ line: '7 passed, 0 failed', ok: true });
});

test('a suite that could not be run counts as a failure', () => {
  const result = { ...counts, numFailedTests: 2, numRuntimeErrorTestSuites: 1 };
  expect(resultLine(result, 1)).toEqual({ line: '7 passed, 3 failed', ok: false });
});

test('a run without any test is not good', () => {
  expect(resultLine({ ...counts, numPassedTests: 0 }, 0)).toEqual({
    line: '0 passed, 0 failed',
    ok: false,
  });
});

test('a failure that jest does not name is still counted', () => {
  expect(resultLine(counts, 1)).toEqual({ line: '7 passed, 1 failed', ok: false });
});

test('a jest that wrote no result has failed, whatever its exit code', () => {
  expect(resultLine(undefined, 0)).toEqual({ line: '0 passed, 1 failed', ok: false });
  expect(resultLine(undefined, null)).toEqual({ line: '0 passed, 1 failed', ok: false });
});
