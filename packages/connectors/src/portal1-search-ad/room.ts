import { type Clock, RetryableError } from '@tributary/runtime';
import { z } from 'zod';
import type { SearchAdClient } from './client.ts';
import { deleteJobs } from './delete-jobs.ts';
import { REPORT_LAYOUTS } from './layouts.ts';
import { ProviderJobSchema } from './schema.ts';

/** The platform keeps about a hundred and drops the oldest of whomever: ours stay well below. */
const OPEN_MAX = 50;
/** Ours are deleted after use, so that the list need not be asked for before each. */
const WINDOWS_PER_LOOK = 10;
/** Nobody of ours goes on with an older job. */
const LEFTOVER_MS = 3 * 60 * 60_000;

/** Looks after the number of reports that a customer has open at the platform. */
export interface Room {
  /**
   * Called before reports of a window are made. What killed turns left behind is deleted once too many are open.
   *
   * @throws RetryableError `reports_full`
   */
  make(client: SearchAdClient, customer: string): Promise<void>;
}

export function createRoom(clock: Clock): Room {
  const windows = new Map<string, number>();
  return {
    async make(client, customer) {
      const count = windows.get(customer) ?? 0;
      if (count % WINDOWS_PER_LOOK === 0) await look(client, clock.now());
      windows.set(customer, count + 1);
    },
  };
}

async function look(client: SearchAdClient, now: number): Promise<void> {
  const call = { path: '/stat-reports', family: 'reports' } as const;
  const jobs = await client.call(call, z.array(ProviderJobSchema));
  if (jobs.length < OPEN_MAX) return;
  const leftovers = jobs
    .filter(({ reportTp }) => reportTp in REPORT_LAYOUTS)
    .filter(({ regTm }) => Date.parse(regTm ?? '') < now - LEFTOVER_MS);
  const ids = leftovers.map(({ reportJobId }) => reportJobId);
  await deleteJobs(client, ids);
  if (jobs.length - ids.length < OPEN_MAX) return;
  const text = `${jobs.length} reports are open at the platform, which keeps about 100: delete what is not needed there.`;
  throw new RetryableError('reports_full', text);
}
