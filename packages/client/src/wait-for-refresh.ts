import type { Answer } from './answer.ts';
import type { CallOptions } from './call.ts';
import { TimeoutError } from './errors.ts';
import type { RefreshRun } from './operations.ts';
import { readMs, type Settings } from './options.ts';

export interface WaitForRefreshOptions {
  signal?: AbortSignal | undefined;
  /** For the whole wait; 15 minutes. */
  timeoutMs?: number | undefined;
  /** Between two looks; 2 s. */
  pollMs?: number | undefined;
}

type ReadRun = (run: string, options: CallOptions) => Promise<Answer<RefreshRun>>;

/**
 * Looks at a refresh until nothing of it is to be expected soon: all is done, or was tried and failed, or what is left waits
 * for a person or is paused. Accounts that are not listed yet are expected.
 *
 * @throws TimeoutError when that takes too long; the refresh goes on all the same
 */
export async function waitForRefresh(
  read: ReadRun,
  { now, delay }: Pick<Settings, 'now' | 'delay'>,
  run: string,
  { signal, timeoutMs = 15 * 60_000, pollMs = 2_000 }: WaitForRefreshOptions,
): Promise<RefreshRun> {
  readMs('timeoutMs', timeoutMs);
  readMs('pollMs', pollMs);
  const deadline = now() + timeoutMs;
  for (;;) {
    const { data } = await read(run, { signal });
    if (isSettled(data)) return data;
    if (now() + pollMs > deadline) {
      const far = `${data.percent} % after ${timeoutMs} ms`;
      throw new TimeoutError(`The refresh '${run}' is at ${far}; it goes on all the same`);
    }
    await delay(pollMs, signal);
  }
}

function isSettled({ percent, planned, done, failed, links }: RefreshRun): boolean {
  const open = links.filter(({ status, paused }) => status !== 'Disconnect' && !paused);
  if (percent === 100 || open.length === 0) return true;
  if (planned === 0 || done + failed < planned) return false;
  // Without a failure the accounts of some link are not listed yet: of one that waits, or of one that is being linked.
  const isWaited = open.length < links.length && open.every(({ status }) => status === 'Completed');
  return failed > 0 || isWaited;
}
