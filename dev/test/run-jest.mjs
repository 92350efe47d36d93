// @ts-check
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @typedef {import('./result-line.mjs').JestResult} JestResult */

/**
 * Runs jest over all projects, its report on our own output.
 * @param {object} options
 * @param {string} options.root
 * @param {string} options.outputFile for jest's result
 * @param {readonly string[]} options.args further arguments of jest
 * @param {Record<string, string>} options.env added to our own environment
 * @param {AbortSignal} options.signal
 * @returns {Promise<{ result: JestResult | undefined, exitCode: number | null }>}
 */
export async function runJest({ root, outputFile, args, env, signal }) {
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const options = [
    '-c',
    'jest.config.ts',
    '--maxWorkers=2',
    '--json',
    `--outputFile=${outputFile}`,
  ];
  const exitCode = await new Promise(
    (/** @type {(code: number | null) => void} */ resolve, reject) => {
      const child = spawn(process.execPath, [jest, ...options, ...args], {
        cwd: root,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const stop = () => child.kill('SIGTERM');
      signal.addEventListener('abort', stop, { once: true });
      child.once('error', reject);
      child.once('close', (code) => {
        signal.removeEventListener('abort', stop);
        resolve(code);
      });
    },
  );
  const text = await readFile(outputFile, 'utf8').catch(() => undefined);
  /** @type {JestResult | undefined} */
  const result = text === undefined ? undefined : JSON.parse(text);
  return { result, exitCode };
}
