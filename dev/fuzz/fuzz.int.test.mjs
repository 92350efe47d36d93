// @ts-check
import { execFile } from 'node:child_process';
import { join } from 'node:path';

/**
 * @param {readonly string[]} args
 * @returns {Promise<{ code: number, out: string }>}
 */
function runFuzz(...args) {
  return new Promise((resolve) => {
    const options = { timeout: 280_000, maxBuffer: 64 * 1024 ** 2 };
    execFile(
      process.execPath,
      [join(__dirname, 'main.mjs'), ...args],
      options,
      (error, out, err) => {
        resolve({ code: error ? 1 : 0, out: out + err });
      },
    );
  });
}

test('2,000 requests made from the document find nothing, and every operation is reached', async () => {
  const { code, out } = await runFuzz('--seed', '20261101', '--requests', '2000');
  expect([code, out]).toEqual([0, expect.stringContaining('Findings: 0')]);
}, 300_000);
