import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The repository, found upwards from where the tests were started. */
function findRoot(from = process.cwd()): string {
  if (existsSync(join(from, 'turbo.json'))) return from;
  const above = dirname(from);
  if (above === from) throw new Error(`No turbo.json above '${process.cwd()}'`);
  return findRoot(above);
}

const BUILD_MS = 240_000;

/** Builds what the processes run, unless it is built already: takes a second then. */
export async function buildApps(): Promise<void> {
  const root = findRoot();
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const apps = ['worker', 'sandbox'].map((app) => join(root, 'apps', app, 'tsconfig.json'));
  await promisify(execFile)(process.execPath, [tsc, '-b', ...apps], {
    cwd: root,
    timeout: BUILD_MS,
  });
}

/** Waits until a condition holds; fails naming it after the time. */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  { timeoutMs = 30_000, everyMs = 50 } = {},
): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await wait(everyMs);
  }
}

/** How a process ended. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  afterMs: number;
}

export interface Program {
  pid: number;
  lines: string[];
  isRunning(): boolean;
  /** Resolves with the first line that fits. */
  line(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ending>;
  ended: Promise<Ending>;
}

/** Starts an app as a real process. Its output is kept; what it inherits of the environment is the path alone. */
export function startProgram(app: 'worker' | 'sandbox', env: Record<string, string>): Program {
  const main = join(findRoot(), 'apps', app, 'dist', 'main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const ended = endOf(child);
  return {
    pid: child.pid ?? 0,
    lines,
    isRunning,
    async line(pattern, timeoutMs = 30_000) {
      const find = () => lines.map((line) => pattern.exec(line)).find((found) => found !== null);
      await until(
        `a line ${pattern} of the ${app}`,
        async () => find() !== undefined || !isRunning(),
        { timeoutMs },
      );
      const found = find();
      if (!found) throw new Error(`The ${app} ended without ${pattern}:\n${lines.join('\n')}`);
      return found;
    },
    kill: (signal) => child.kill(signal),
    async end(signal) {
      const startedAt = performance.now();
      child.kill(signal);
      return { ...(await ended), afterMs: performance.now() - startedAt };
    },
    ended,
  };
}

async function endOf(child: ChildProcess): Promise<Ending> {
  const startedAt = performance.now();
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return { code, signal, afterMs: performance.now() - startedAt };
}
