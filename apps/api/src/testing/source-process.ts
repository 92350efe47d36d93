import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');

export interface SourceProcesses {
  /** Starts `src/<file>` with nothing in its environment but `env`; it is killed after a minute and a half. */
  start(
    file: string,
    options?: { args?: readonly string[]; env?: Record<string, string> },
  ): ChildProcessWithoutNullStreams;
  close(): void;
}

/** Processes that run from the sources of the workspace, as the tests do: nothing has to be built before. */
export function createSourceProcesses(): SourceProcesses {
  const folder = mkdtempSync(join(tmpdir(), 'api-processes-'));
  const config = join(folder, 'tsconfig.json');
  const paths = { '@tributary/*': [join(ROOT, 'packages/*/src/index.ts')] };
  writeFileSync(config, JSON.stringify({ compilerOptions: { paths } }));
  return {
    start: (file, { args = [], env = {} } = {}) =>
      spawn(process.execPath, ['--import', 'tsx', join(__dirname, '..', file), ...args], {
        cwd: ROOT,
        env: { PATH: process.env.PATH, TSX_TSCONFIG_PATH: config, ...env },
        timeout: 90_000,
        killSignal: 'SIGKILL',
      }),
    close: () => rmSync(folder, { recursive: true }),
  };
}
