import { setTimeout as wait } from 'node:timers/promises';
import { AuthLostError, RetryableError } from '@tributary/runtime';
import type { CollectRequest } from '../connector.ts';
import { scrub } from '../http/mask-url.ts';
import type { GraphCall, GraphClient } from './client.ts';
import {
  ProviderReportSchema,
  type ProviderReportStatus,
  ProviderReportStatusSchema,
  type SocialAdsCredentials,
  type SocialAdsSettings,
} from './schema.ts';

export interface ReportPatience {
  /** First wait after creating a run; doubled up to 10 s. */
  firstPollMs: number;
  /** Waiting inside one call; a longer run is left for a later turn. */
  patienceMs: number;
}

type Request = CollectRequest<SocialAdsCredentials, SocialAdsSettings>;
const POLL_MOST_MS = 10_000;

/**
 * The id of a finished report run: goes on with the request's run when it is for this window, else creates one and
 * hands its id out before it is first polled.
 *
 * @throws RetryableError `report_running` when it needs longer, `report_failed` when a new one must be made
 */
export async function finishReport(
  graph: GraphClient,
  create: GraphCall,
  request: Request,
  patience: ReportPatience,
): Promise<string> {
  const { signal } = request;
  const known = pendingReport(request);
  const id = known ?? (await createReport(graph, create, request));
  let waitMs = known === undefined ? patience.firstPollMs : 0;
  let waitedMs = 0;
  let seen = false;
  for (;;) {
    await wait(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    waitedMs += waitMs;
    const status = await poll(graph, id, create.key);
    seen ||= status !== undefined;
    if (status && isFinished(status, id, request.credentials)) return id;
    waitMs = Math.min(Math.max(waitMs * 2, patience.firstPollMs), POLL_MOST_MS);
    if (waitedMs + waitMs > patience.patienceMs) break;
  }
  if (known !== undefined && !seen) throw failed(id, 'the platform no longer knows it');
  throw new RetryableError('report_running', `The report ${id} is still being made`);
}

/** The run that an earlier turn made for exactly this window. */
export function pendingReport({ report, from, to }: Request): string | undefined {
  return report?.from === from && report.to === to ? report.id : undefined;
}

async function createReport(graph: GraphClient, create: GraphCall, request: Request) {
  const { report_run_id: id } = await graph.call(
    { ...create, method: 'POST' },
    ProviderReportSchema,
  );
  await request.onReport({ id, from: request.from, to: request.to });
  return id;
}

/** The run's state; undefined while the platform does not show it yet, which happens right after its creation. */
async function poll(graph: GraphClient, id: string, key: string) {
  try {
    return await graph.call({ path: id, params: {}, key }, ProviderReportStatusSchema);
  } catch (error) {
    if (error instanceof AuthLostError && error.code === 'object_missing') return undefined;
    throw error;
  }
}

/** Done only when both say so: the percentage reaches 100 while the run is still working. */
function isFinished(
  status: ProviderReportStatus,
  id: string,
  { accessToken, appSecret }: SocialAdsCredentials,
): boolean {
  const word = status.async_status;
  if (word === 'Job Failed' || word === 'Job Skipped') {
    const said = status.error_user_msg ?? status.error_message ?? 'no reason given';
    const code = status.error_code === undefined ? '' : ` (code ${status.error_code})`;
    throw failed(id, `${word}${code}: ${scrub(said, [accessToken, appSecret])}`);
  }
  return word === 'Job Completed' && status.async_percent_completion === 100;
}

function failed(id: string, why: string): RetryableError {
  return new RetryableError('report_failed', `The report ${id} cannot be had: ${why}`);
}
