import { setTimeout as wait } from 'node:timers/promises';
import { AppError, RetryableError } from '@tributary/runtime';
import type { CollectRequest } from '../connector.ts';
import { malformed } from '../http/parse-json.ts';
import type { SearchAdCall, SearchAdClient } from './client.ts';
import { deleteJobs } from './delete-jobs.ts';
import type { ReportType } from './layouts.ts';
import type { Room } from './room.ts';
import {
  type ProviderJob,
  ProviderJobSchema,
  type SearchAdCredentials,
  type SearchAdSettings,
} from './schema.ts';

export interface JobPatience {
  /** First wait after a job was made; doubled up to 5 s. */
  firstPollMs: number;
  /** Waiting inside one call; a longer job is left for a later turn. */
  patienceMs: number;
}

export type SearchAdRequest = CollectRequest<SearchAdCredentials, SearchAdSettings>;

/** A finished file: where it is downloaded; undefined = the platform had nothing to tell. */
export interface ReportFile {
  type: ReportType;
  id: string;
  download: SearchAdCall | undefined;
}

const POLL_MOST_MS = 5_000;
/** Between the ids of a window's jobs, which are stored as one. */
const JOINT = '+';

/**
 * The finished files of one day, in the order of `types`: goes on with the request's jobs when they are for this day, else
 * creates them, one after the other, and hands their ids out before the first is polled.
 *
 * @throws RetryableError `report_running` when they need longer, `report_failed` when new ones must be made
 */
export async function finishReports(
  client: SearchAdClient,
  request: SearchAdRequest,
  { types, room, patience }: { types: readonly ReportType[]; room: Room; patience: JobPatience },
): Promise<ReportFile[]> {
  const known = pendingIds(request);
  const ids = await createMissing(client, request, { types, known, room });
  const { signal } = request;
  const files = new Map<ReportType, ReportFile>();
  let waitMs = known.length === types.length ? 0 : patience.firstPollMs;
  let waitedMs = 0;
  for (;;) {
    await wait(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    waitedMs += waitMs;
    for (const [index, type] of types.entries()) {
      if (files.has(type)) continue;
      const file = await poll(client, { type, id: ids[index] ?? '', ids });
      if (file) files.set(type, file);
    }
    if (files.size === types.length) return types.flatMap((type) => files.get(type) ?? []);
    waitMs = Math.min(Math.max(waitMs * 2, patience.firstPollMs), POLL_MOST_MS);
    if (waitedMs + waitMs > patience.patienceMs) break;
  }
  throw new RetryableError('report_running', `The reports ${ids.join(', ')} are still being made`);
}

/** The jobs that an earlier turn made for exactly this day. */
function pendingIds({ report, from, to }: SearchAdRequest): string[] {
  return report?.from === from && report.to === to ? report.id.split(JOINT) : [];
}

async function createMissing(
  client: SearchAdClient,
  request: SearchAdRequest,
  { types, known, room }: { types: readonly ReportType[]; known: readonly string[]; room: Room },
): Promise<string[]> {
  const ids = known.slice(0, types.length);
  if (ids.length < types.length) await room.make(client, request.account.id);
  for (const type of types.slice(ids.length)) {
    const { from, to } = request;
    const body = { reportTp: type, statDt: from.replaceAll('-', '') };
    const call = { method: 'POST', path: '/stat-reports', body, family: 'reports' } as const;
    ids.push((await client.call(call, ProviderJobSchema)).reportJobId);
    await request.onReport({ id: ids.join(JOINT), from, to });
  }
  return ids;
}

interface Polled {
  type: ReportType;
  id: string;
  /** All jobs of the window: when one fails, all are made anew. */
  ids: readonly string[];
}

/** The file of a finished job; undefined while it is being made. */
async function poll(client: SearchAdClient, polled: Polled): Promise<ReportFile | undefined> {
  const { type, id, ids } = polled;
  const call = { path: `/stat-reports/${id}`, family: 'reports' } as const;
  const job = await client.call(call, ProviderJobSchema).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'object_missing') return undefined;
    throw error;
  });
  if (job?.status === 'BUILT') return { type, id, download: downloadOf(job) };
  if (job?.status === 'NONE') return { type, id, download: undefined };
  const isDead = !job || job.status === 'ERROR' || job.status === 'CHANGED';
  if (!isDead) return undefined;
  await deleteJobs(
    client,
    ids.filter((one) => job || one !== id),
  );
  const why = job ? `ended in ${job.status}` : 'is no longer known to the platform';
  throw new RetryableError('report_failed', `The report ${id} (${type}) ${why}`);
}

/** Only the query of the address is used: signed headers go nowhere else. */
function downloadOf({ reportJobId, downloadUrl }: ProviderJob): SearchAdCall {
  const url = URL.parse(downloadUrl ?? '');
  if (!url?.pathname.endsWith('/report-download')) {
    throw malformed({ place: `/stat-reports/${reportJobId}` }, 'a built report without a download');
  }
  return { path: '/report-download', query: url.searchParams, family: 'reports' };
}
