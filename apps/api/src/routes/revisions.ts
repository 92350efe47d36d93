import { listRevisions, type Revision, readRevision } from '@tributary/database';
import {
  addDays,
  LEVEL_WORDS,
  LEVELS,
  namedValues,
  REVISIONS_MAX,
  type RevisionRecord,
  RevisionSchema,
  RevisionsQuerySchema,
} from '@tributary/shared';
import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import { ProblemError } from '../http/problem.ts';
import type { Range } from '../statistics/range.ts';
import { requireLink } from './links.ts';

/** Final totals that changed all the same, by day, then time. */
export const linkRevisionsRoute = defineRoute({
  method: 'GET',
  path: '/link/revisions',
  summary: 'Final totals that changed all the same',
  description: 'Before and after, by day, then time. Kept for 400 days.',
  extension: true,
  problems: ['link_not_found', 'range_too_large'],
  query: RevisionsQuerySchema,
  response: z.array(RevisionSchema),
  scope: 'read',
  async handle({ query: { id, start, end, level: word }, context }, deps) {
    const link = await requireLink(deps, context, id);
    const part = LEVELS.find((level) => LEVEL_WORDS[level] === word);
    const range = { from: start, to: end, ...(part && { part }) };
    const listed = await listRevisions(deps.db, link, range);
    requireFitting(listed, { start, end });
    const records: RevisionRecord[] = [];
    for (const revision of listed) {
      const { account, part: level, day: date, at } = revision;
      for (const [entity, before, after] of await readRevision(deps.db, link, revision)) {
        records.push({
          date,
          level: level === 'blog' ? level : LEVEL_WORDS[level],
          entity: entity === '' ? account : entity,
          at: new Date(at).toISOString(),
          before: namedValues(level, before),
          after: namedValues(level, after),
        });
      }
    }
    return records;
  },
});

/** @throws ProblemError `range_too_large` naming the last end that fits */
function requireFitting(listed: readonly Revision[], { start, end }: Range): void {
  let entities = 0;
  const first = listed[0];
  for (const revision of listed) {
    entities += revision.entities;
    // One change of one level is always told: nothing smaller can be asked for.
    if (entities <= REVISIONS_MAX || revision === first) continue;
    const last = addDays(revision.day, -1);
    const advice =
      last < start ? 'ask for a single day and level' : `the last end that fits is ${last}`;
    const message = `${start}/${end} has more than ${REVISIONS_MAX} revised totals, ${advice}`;
    throw new ProblemError('range_too_large', message, {
      errors: [{ in: 'query', name: 'end', message }],
    });
  }
}
