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
import { AD_CSV, BLOG_CSV, DAYS_CSV } from '../statistics/csv-forms.ts';
import { findPlace, readKnownAccount } from '../statistics/place.ts';
import { answerAd, answerBlog } from '../statistics/totals.ts';
import { requireLink } from './links.ts';

const NAMES = { a: 'an ad account', c: 'a campaign', g: 'an ad group' } as const;
const STATISTICS_WORDS =
  'One object for each collected day, ascending; a day that is not collected is absent, a day without delivery has zeros. ' +
  'Every list adds up to the total: what the platform attributes to none of its values is the entry `unattributed`. ' +
  'A metric is null where the platform does not tell it. The headers `Data-State`, `Data-As-Of` and `Data-Missing` say how complete the answer is.';

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
    summary: `Daily statistics and breakdown lists of ${NAMES[level]}`,
    description: STATISTICS_WORDS,
    problems: [
      'link_not_found',
      'wrong_channel',
      'entity_not_found',
      'range_too_large',
      ...(level === 'a' ? (['not_yet_available'] as const) : []),
    ],
    query: StatisticsQuerySchema,
    response: StatisticsSchema,
    csv: DAYS_CSV,
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
  summary: 'Statistics of one ad, summed over the range',
  description:
    'One object over the collected days of the range. Reach counts people and is never summed: over several days it is null.',
  problems: ['link_not_found', 'wrong_channel', 'entity_not_found', 'not_collected', 'conflict'],
  query: StatisticsQuerySchema,
  response: AdStatisticsSchema,
  csv: AD_CSV,
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
  summary: 'Statistics of a blog over the range',
  description:
    '`uv_cnt` counts visitors and is never summed: over several days it is the largest of the days, which is a true lower bound.',
  problems: ['link_not_found', 'wrong_channel', 'not_collected'],
  query: LinkRangeQuerySchema,
  response: BlogStatisticsSchema,
  csv: BLOG_CSV,
  scope: 'read',
  async handle({ query: { id, start, end }, context }, deps) {
    const link = await requireKind(deps, context, id, 'blog');
    return answerBlog(deps, { link, range: { start, end }, context });
  },
});
