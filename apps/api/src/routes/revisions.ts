import {
  type AuthorizedLink,
  listRevisions,
  type RevisedTotal,
  type Revision,
  type RevisionRange,
  readRevisedTotals,
  readRevisionsPage,
} from '@tributary/database';
import {
  addDays,
  DaySchema,
  IdSchema,
  LEVEL_WORDS,
  LEVELS,
  namedValues,
  REVISIONS_MAX,
  type RevisionRecord,
  RevisionSchema,
  RevisionsQuerySchema,
} from '@tributary/shared';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { createCursors } from '../http/cursor.ts';
import { defineRoute } from '../http/define-route.ts';
import { listReply, PAGES_WORDS } from '../http/page.ts';
import { ProblemError } from '../http/problem.ts';
import { requireLink } from './links.ts';
import { momentText } from './records.ts';

/** The revision of the last entry of a page, by day, time and key, and how many of its entries were sent. */
const PlaceSchema = z.tuple([DaySchema, z.int().min(0), IdSchema, z.int().min(1)]);

/** Final totals that changed all the same, by day, then time. */
export const linkRevisionsRoute = defineRoute({
  method: 'GET',
  path: '/link/revisions',
  summary: 'Final totals that changed all the same',
  description: `Before and after, by day, then time. Kept for 400 days. ${PAGES_WORDS}`,
  extension: true,
  paged: true,
  problems: ['link_not_found', 'range_too_large'],
  query: RevisionsQuerySchema,
  response: z.array(RevisionSchema),
  scope: 'read',
  async handle({ query, context }, deps) {
    const { id, start, end, level: word } = query;
    const { tenant } = context;
    const list = { path: 'link/revisions', tenant, filters: [id, start, end, word] };
    const cursors = createCursors(list, PlaceSchema);
    const last = cursors.read(query.cursor);
    const place = last && { day: last[0], at: last[1], key: last[2], index: last[3] };
    const link = await requireLink(deps, context, id);
    const part = LEVELS.find((level) => LEVEL_WORDS[level] === word);
    const range = { from: start, to: end, ...(part && { part }) };
    return listReply({
      query,
      read: (limit) =>
        limit === undefined
          ? readAll(deps, link, range)
          : readRevisionsPage(deps.db, link, { range, place, limit }),
      cursorOf: ({ revision, index: sent }) =>
        cursors.write([revision.day, revision.at, revision.key, sent + 1]),
      recordsOf: (totals) => totals.map(revisionRecord),
    });
  },
});

/** @throws ProblemError `range_too_large` */
async function readAll(
  { db }: Deps,
  link: AuthorizedLink,
  range: RevisionRange,
): Promise<RevisedTotal[]> {
  const revisions = await listRevisions(db, link, range);
  requireFitting(revisions, range);
  const totals: RevisedTotal[] = [];
  for (const revision of revisions) totals.push(...(await readRevisedTotals(db, link, revision)));
  return totals;
}

function revisionRecord({ revision, entity: [id, before, after] }: RevisedTotal): RevisionRecord {
  const { account, part: level, day: date, at } = revision;
  return {
    date,
    level: level === 'blog' ? level : LEVEL_WORDS[level],
    entity: id === '' ? account : id,
    at: momentText(at),
    before: namedValues(level, before),
    after: namedValues(level, after),
  };
}

/** @throws ProblemError `range_too_large` naming the last end that fits */
function requireFitting(listed: readonly Revision[], { from, to }: RevisionRange): void {
  let entities = 0;
  const first = listed[0];
  for (const revision of listed) {
    entities += revision.entities;
    // One change of one level is always told: nothing smaller can be asked for.
    if (entities <= REVISIONS_MAX || revision === first) continue;
    const last = addDays(revision.day, -1);
    const advice = last < from ? 'ask for pages with limit' : `the last end that fits is ${last}`;
    const message = `${from}/${to} has more than ${REVISIONS_MAX} revised totals, ${advice}`;
    throw new ProblemError('range_too_large', message, {
      errors: [{ in: 'query', name: 'end', message }],
    });
  }
}
