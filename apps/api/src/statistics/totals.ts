import {
  type Account,
  type AuthorizedLink,
  accountKey,
  findAccount,
  findAdDays,
  findBlogDays,
  isOpenLink,
  LINK_ACCOUNT,
  listAccounts,
  nextPlanOf,
} from '@tributary/database';
import {
  type AnswerState,
  CHANNELS,
  dataObjectJson,
  type Figures,
  mergeFigures,
  metricsOf,
  SEAL_VERSION,
  zeroFigures,
} from '@tributary/shared';
import type { Deps } from '../deps.ts';
import { matchesEtag } from '../http/accept.ts';
import type { RequestContext } from '../http/define-route.ts';
import { ProblemError } from '../http/problem.ts';
import { Reply } from '../http/reply.ts';
import { combineBlogDays } from './blog.ts';
import type { RangeSummary } from './caches.ts';
import { csvReply, csvTag } from './csv-answer.ts';
import { blogLines } from './csv-blog.ts';
import { AD_COLUMNS, BLOG_COLUMNS, csvLine } from './csv-cells.ts';
import { metricCells } from './csv-days.ts';
import type { Place } from './place.ts';
import { answerHeaders, etagOf, notCollected, type Range, rangeText, readRange } from './range.ts';

interface TotalsQuestion {
  link: AuthorizedLink;
  range: Range;
  context: RequestContext;
}

/** The answer of /data/ads: one DataObject over the collected days of the range. */
export async function answerAd(
  deps: Deps,
  { link, place, range, context }: TotalsQuestion & { place: Place },
): Promise<Reply> {
  const { account, entity } = place;
  const collected = await readRange(deps, account, 'd', { ...range, now: context.now });
  requireCollected(collected, account, { link, range, context });
  refuseMixedMeasures(collected, account.frozenBefore);
  const names = [account._id, 'd', entity, rangeText(range), collected.tags];
  const etag = etagOf(SEAL_VERSION, ...names, ...csvTag(context));
  const headers = answerHeaders(etag, collected.state);
  if (matchesEtag(context.ifNoneMatch, etag)) return new Reply({ status: 304, headers });
  const channel = CHANNELS[link.type];
  const zero = zeroFigures(new Set(metricsOf(channel, 'd')));
  const stored = await findAdDays(deps.db, link, {
    ad: entity,
    from: range.start,
    to: range.end,
  });
  const days: Figures[] = collected.days.map(({ date }) => stored.get(date) ?? zero);
  // A merger has no unique counts; a single day asked for is exact.
  const [only = zero] = days;
  const total = range.start === range.end ? only : days.reduce(mergeFigures, zero);
  const data = dataObjectJson(total, channel.ppc);
  if (context.answerType === 'text/csv') {
    const row = csvLine([rangeText(range), metricCells(data)]);
    const table = { headers, names: ['ads', entity, range] as const, context };
    return csvReply(table, csvLine(AD_COLUMNS) + row);
  }
  return textReply(headers, `{"date":"${rangeText(range)}","data":${data}}`);
}

/** The answer of /data/blog-portal1: one object over the collected days of the range. */
export async function answerBlog(
  deps: Deps,
  { link, range, context }: TotalsQuestion,
): Promise<Reply> {
  const [account] = await listAccounts(deps.db, link._id);
  if (!account) throw await notKnown(deps, { link, range, context });
  const collected = await readRange(deps, account, 'blog', { ...range, now: context.now });
  requireCollected(collected, account, { link, range, context });
  const names = [account._id, 'blog', rangeText(range), collected.tags];
  const etag = etagOf(SEAL_VERSION, ...names, ...csvTag(context));
  const headers = answerHeaders(etag, collected.state);
  if (matchesEtag(context.ifNoneMatch, etag)) return new Reply({ status: 304, headers });
  const stored = await findBlogDays(deps.db, link, range.start, range.end);
  const days = collected.days.flatMap(({ date }) => stored.get(date) ?? []);
  const answer = { date: rangeText(range), data: combineBlogDays(days) };
  if (context.answerType === 'text/csv') {
    const table = { headers, names: ['blog-portal1', link._id, range] as const, context };
    return csvReply(table, csvLine(BLOG_COLUMNS) + blogLines(answer));
  }
  return textReply(headers, JSON.stringify(answer));
}

/** The state of a link whose accounts are not known yet. */
const NOTHING: AnswerState = {
  state: 'missing',
  asOf: undefined,
  gaps: [],
  gapDays: 0,
  wanted: 0,
  collected: 0,
};

function requireCollected(
  { days, state }: RangeSummary,
  account: Account,
  { link, range, context: { now } }: TotalsQuestion,
): void {
  if (days.length > 0) return;
  // Nothing is planned for a link that is paused or waits for a person, nor for days that are never wanted.
  const isPlanned = isOpenLink(link) && state.wanted > 0;
  throw notCollected(range, { state, retryAt: isPlanned ? nextPlanOf(account) : undefined, now });
}

/** The blog of the link has not been found yet. */
async function notKnown(
  { db }: Deps,
  { link, range, context: { now } }: TotalsQuestion,
): Promise<ProblemError> {
  const search = await findAccount(db, accountKey(link._id, LINK_ACCOUNT));
  const isSought = link.status === 'Linking' && isOpenLink(link);
  const retryAt = search && isSought ? nextPlanOf(search) : undefined;
  return notCollected(range, { state: NOTHING, retryAt, now });
}

/** Days before a change of the account's zone or currency were counted by another measure and are never added to later ones. */
function refuseMixedMeasures({ days }: RangeSummary, changedOn: string | undefined): void {
  const [first, last] = [days[0], days.at(-1)];
  if (changedOn === undefined || !first || !last) return;
  if (first.date >= changedOn || last.date < changedOn) return;
  const message = `The account's zone or currency changed on ${changedOn}: days before and after it are not added`;
  throw new ProblemError('conflict', message, {
    errors: [{ in: 'query', name: 'start', message }],
  });
}

function textReply(headers: Record<string, string>, text: string): Reply {
  const body = Buffer.from(text);
  return new Reply({
    headers,
    bytes: { type: 'application/json', length: body.length, chunks: [body] },
  });
}
