// @ts-check
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runProgram } from './services/run-program.mjs';

const timeoutMs = 10 * 60_000;

/**
 * What node_modules must have been made from: another lock file, Node or platform needs another installation.
 * @param {string} lockText package-lock.json
 * @param {{ version: string, platform: string, arch: string }} runtime
 * @returns {string}
 */
export function installStamp(lockText, { version, platform, arch }) {
  const major = /^v(\d+)/.exec(version)?.[1];
  return `${createHash('sha256').update(lockText).digest('hex')} node-${major} ${platform}-${arch}\n`;
}

/**
 * Runs `npm ci` when node_modules is missing or was made from something else.
 * @param {{ root: string, log: (line: string) => void, signal?: AbortSignal }} options
 */
export async function ensureInstalled({ root, log, signal }) {
  const file = join(root, 'node_modules', '.tributary-install');
  const wanted = installStamp(await readFile(join(root, 'package-lock.json'), 'utf8'), process);
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found === wanted) return;
  log('Installing the dependencies (npm ci)');
  const start = Date.now();
  // npm names its own script to the scripts it runs: the same npm then installs.
  const { npm_execpath: npm } = process.env;
  const [command, ...args] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  await runProgram(
    command,
    [...args, 'ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'],
    {
      cwd: root,
      timeoutMs,
      signal,
    },
  );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, wanted);
  log(`Dependencies installed, ${Math.round((Date.now() - start) / 1000)} s`);
}
