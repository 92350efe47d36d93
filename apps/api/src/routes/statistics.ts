import type { AuthorizedLink } from '@tributary/database';
import {
  AdStatisticsSchema,
  BlogStatisticsSchema,
  CHANNELS,
  type Channel,
  LEVEL_WORDS,
  LinkRangeQuerySchema,
  type ListedLevel,
  StatisticsQuerySchema,
  StatisticsSchema,
} from '@tributary/shared';
import type { Deps } from '../deps.ts';
import { defineRoute, type RequestContext, type Route } from '../http/define-route.ts';
import { ProblemError } from '../http/problem.ts';
import { quote } from '../http/quote.ts';
import { answerBreakdowns } from '../statistics/breakdowns.ts';
import { findPlace, readKnownAccount } from '../statistics/place.ts';
import { answerAd, answerBlog } from '../statistics/totals.ts';
import { requireLink } from './links.ts';

/** @throws ProblemError `link_not_found`, or `wrong_channel` for a blog on an advertising endpoint and the reverse */
async function requireKind(
  deps: Deps,
  context: RequestContext,
  id: string,
  kind: Channel['kind'],
): Promise<AuthorizedLink> {
  const link = await requireLink(deps, context, id);
  if (CHANNELS[link.type].kind === kind) return link;
  const wanted = kind === 'ads' ? 'an advertising channel' : 'the blog channel';
  const message = `Link ${quote(id)} is of ${link.type}, expected ${wanted}`;
  throw new ProblemError('wrong_channel', message);
}

function breakdownsRoute(level: ListedLevel): Route {
  return defineRoute({
    method: 'GET',
    path: `/data/${LEVEL_WORDS[level]}`,
    query: StatisticsQuerySchema,
    response: StatisticsSchema,
    scope: 'read',
    async handle({ query: { id, value, start, end }, context }, deps) {
      const [link, account] = await Promise.all([
        requireKind(deps, context, id, 'ads'),
        readKnownAccount(deps, id, level, value),
      ]);
      if (level === 'a' && link.type === 'PORTAL1_SEARCH_AD') {
        const message = `Account statistics of ${link.type} are not yet available`;
        throw new ProblemError('not_yet_available', message);
      }
      const place = await findPlace(deps, link, level, value, account);
      return answerBreakdowns(deps, { link, level, place, range: { start, end }, context });
    },
  });
}

export const adAccountRoute = breakdownsRoute('a');
export const campaignRoute = breakdownsRoute('c');
export const adGroupRoute = breakdownsRoute('g');

export const adsRoute = defineRoute({
  method: 'GET',
  path: '/data/ads',
  query: StatisticsQuerySchema,
  response: AdStatisticsSchema,
  scope: 'read',
  async handle({ query: { id, value, start, end }, context }, deps) {
    const link = await requireKind(deps, context, id, 'ads');
    const place = await findPlace(deps, link, 'd', value);
    return answerAd(deps, { link, place, range: { start, end }, context });
  },
});

export const blogRoute = defineRoute({
  method: 'GET',
  path: '/data/blog-portal1',
  query: LinkRangeQuerySchema,
  response: BlogStatisticsSchema,
  scope: 'read',
  async handle({ query: { id, start, end }, context }, deps) {
    const link = await requireKind(deps, context, id, 'blog');
    return answerBlog(deps, { link, range: { start, end }, context });
  },
});
