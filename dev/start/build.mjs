// @ts-check
import { join } from 'node:path';
import { createProgress, runProgram } from '../services/run-program.mjs';

const timeoutMs = 10 * 60_000;

/**
 * Builds what has changed since the last build.
 * @param {{ root: string, log: (line: string) => void, signal: AbortSignal }} options
 */
export async function build({ root, log, signal }) {
  const progress = createProgress(log, 'Build');
  await runProgram(join(root, 'node_modules', '.bin', 'turbo'), ['run', 'build'], {
    cwd: root,
    env: { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', CI: 'true' },
    timeoutMs,
    signal,
  });
  progress.done('done');
}
