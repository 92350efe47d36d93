// @ts-check

/**
 * The counts of jest's `--json` result.
 * @typedef {object} JestResult
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numRuntimeErrorTestSuites
 */

/**
 * The last line of `npm test`, and whether the run was good. A suite that could not be run counts as one failure, and so does a run
 * that jest itself calls a failure without naming any; a run without a passed test is not good.
 * @param {JestResult | undefined} result undefined when jest wrote none
 * @param {number | null} exitCode of jest
 * @returns {{ line: string, ok: boolean }}
 */
export function resultLine(result, exitCode) {
  const passed = result?.numPassedTests ?? 0;
  const named = (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0);
  const failed = named === 0 && (exitCode !== 0 || result === undefined) ? 1 : named;
  return { line: `${passed} passed, ${failed} failed`, ok: failed === 0 && passed > 0 };
}
