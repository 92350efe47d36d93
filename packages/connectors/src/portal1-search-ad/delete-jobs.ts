import { AppError } from '@tributary/runtime';
import type { SearchAdClient } from './client.ts';

/** Deletes jobs that are done with; one that stays is dropped by the platform some day. */
export async function deleteJobs(client: SearchAdClient, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const call = { method: 'DELETE', path: `/stat-reports/${id}`, family: 'reports' } as const;
    await client.send(call).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error; // The caller's abort.
    });
  }
}
