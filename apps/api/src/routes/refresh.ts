import {
  type AuthorizedLink,
  createRun,
  findRun,
  listLinks,
  type RefreshRun,
  readRunProgress,
} from '@tributary/database';
import {
  RefreshBodySchema,
  RefreshRunParamsSchema,
  type RefreshRunRecord,
  RefreshRunSchema,
} from '@tributary/shared';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { defineRoute, type RequestContext, type Route } from '../http/define-route.ts';
import { ProblemError } from '../http/problem.ts';
import { quote } from '../http/quote.ts';
import { Reply } from '../http/reply.ts';
import { type CreateLinkOptions, withCanonicalType } from './create-link-body.ts';
import { requireLink } from './links.ts';
import { momentText } from './records.ts';

const noQuery = z.strictObject({});

/** Has days read again now. What is asked is stored; workers find it there. */
export function createRefreshRoute({
  channelAliases,
}: Pick<CreateLinkOptions, 'channelAliases'>): Route {
  return defineRoute({
    method: 'POST',
    path: '/refresh',
    summary: 'Has days read again now',
    idempotent: true,
    description:
      'For one link, all with a tag or all of a channel; without a range the last three days. Workers pick the run up from the database. The same again is the same run within a minute, and while nothing of it was tried yet; something else of a link has to wait for a minute. Paused links are left out, and one alone is refused.',
    extension: true,
    status: 202,
    problems: ['link_not_found', 'conflict', 'rate_limited'],
    query: noQuery,
    body: z.preprocess((body) => withCanonicalType(body, channelAliases), RefreshBodySchema),
    response: RefreshRunSchema,
    scope: 'refresh',
    async handle({ body, context }, deps) {
      const { tenant, now } = context;
      const { start: from, end: to } = body;
      const links = withoutPaused(await selectLinks(deps, context, body));
      const range = from !== undefined && to !== undefined ? { from, to } : undefined;
      const answer = await createRun(deps.db, tenant, { links, range, now });
      if (answer.state === 'busy') throw rateLimited(answer.until - now);
      if (answer.state === 'too large') throw tooLarge(answer);
      const { run } = answer;
      return new Reply({
        status: 202,
        headers: { Location: `refresh/${run._id}` },
        data: await runRecord(deps, run, now),
      });
    },
  });
}

/** @throws ProblemError `link_not_found` when the body names none */
async function selectLinks(
  deps: Deps,
  context: RequestContext,
  { id, tag, type }: z.output<typeof RefreshBodySchema>,
): Promise<AuthorizedLink[]> {
  if (id !== undefined) return [await requireLink(deps, context, id)];
  const found = await listLinks(deps.db, context.tenant, { tag });
  const links = found.filter((link) => type === undefined || link.type === type);
  if (links.length > 0) return links;
  const what = type === undefined ? `the tag ${quote(tag)}` : `the type ${quote(type)}`;
  throw new ProblemError('link_not_found', `No link has ${what}`);
}

/** @throws ProblemError `conflict` when all are paused */
function withoutPaused(links: readonly AuthorizedLink[]): AuthorizedLink[] {
  const collected = links.filter(({ pausedAt }) => pausedAt === undefined);
  if (collected.length > 0) return collected;
  const which = links.length === 1 ? 'The link is' : `All ${links.length} links are`;
  throw new ProblemError('conflict', `${which} paused: resume with PUT /link/schedule first`);
}

function rateLimited(waitMs: number): ProblemError {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
  return new ProblemError(
    'rate_limited',
    `Something else was asked of one of the links less than a minute ago; ask again in ${seconds} s`,
    { headers: { 'Retry-After': seconds } },
  );
}

function tooLarge({ accounts, daysMax }: { accounts: number; daysMax: number }): ProblemError {
  const remedy = daysMax > 0 ? `at most ${daysMax} days` : 'fewer links';
  return new ProblemError(
    'range_too_large',
    `The links have ${accounts} accounts: ask for ${remedy} at once`,
  );
}

/** How far a refresh is. */
export const refreshRunRoute = defineRoute({
  method: 'GET',
  path: '/refresh/{run}',
  summary: 'How far a refresh is',
  extension: true,
  problems: ['not_found'],
  params: RefreshRunParamsSchema,
  query: noQuery,
  response: RefreshRunSchema,
  scope: 'refresh',
  async handle({ params, context: { tenant, now } }, deps) {
    const run = await findRun(deps.db, tenant, params.run);
    if (!run) throw new ProblemError('not_found', `No refresh has the id ${quote(params.run)}`);
    return await runRecord(deps, run, now);
  },
});

async function runRecord(
  { db }: Pick<Deps, 'db'>,
  run: RefreshRun,
  now: number,
): Promise<RefreshRunRecord> {
  const progress = await readRunProgress(db, run, now);
  const { links, failures, nextAt, isUntouched: _, ...counts } = progress;
  return {
    id: run._id,
    askedAt: momentText(run.askedAt),
    from: run.from,
    to: run.to,
    links: links.map(({ _id, status, reason, pausedAt }) => ({
      id: _id,
      status,
      reason,
      ...(pausedAt !== undefined && { paused: true as const }),
    })),
    ...counts,
    nextAttemptAt: momentText(nextAt),
    failures: failures.map(({ link, account, day, source, code, detail, retryAt }) => ({
      link,
      account,
      date: day,
      source,
      ...(code !== undefined && { code }),
      ...(detail !== undefined && { detail }),
      ...(retryAt !== undefined && { nextAttemptAt: momentText(retryAt) }),
    })),
  };
}
