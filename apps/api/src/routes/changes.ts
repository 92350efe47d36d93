import { type Change, decodeId, readChanges } from '@tributary/database';
import {
  type ChangeRecord,
  ChangesSchema,
  LEVEL_WORDS,
  ListChangesQuerySchema,
  PAGE_MAX,
} from '@tributary/shared';
import { z } from 'zod';
import { createCursors } from '../http/cursor.ts';
import { defineRoute } from '../http/define-route.ts';
import { ProblemError } from '../http/problem.ts';
import { momentText } from './records.ts';

/** A bucket of the feed, and how many of its changes were read. */
const PlaceSchema = z.tuple([z.int().min(0), z.int().min(0).max(99)]);

/** What moved since, of all records of the tenant, in order and without gaps. */
export const listChangesRoute = defineRoute({
  method: 'GET',
  path: '/changes',
  summary: 'What moved since: days that are worth reading again',
  description:
    'In order and without gaps over all records. Changes are kept for 30 days; a cursor that is older is 410 `cursor_expired`: read everything again and begin without a cursor.',
  extension: true,
  problems: ['cursor_expired'],
  query: ListChangesQuerySchema,
  response: ChangesSchema,
  scope: 'read',
  async handle({ query: { cursor, limit = PAGE_MAX }, context: { tenant } }, { db }) {
    const cursors = createCursors({ path: 'changes', tenant }, PlaceSchema);
    const seen = cursors.read(cursor);
    const after = seen && { bucket: seen[0], index: seen[1] };
    const page = await readChanges(db, tenant, { after, limit });
    if (!page) {
      throw new ProblemError(
        'cursor_expired',
        'Changes behind this cursor are no longer kept: read everything again and begin without a cursor',
      );
    }
    const { changes, place, more } = page;
    return {
      changes: changes.map(changeRecord),
      cursor: cursors.write([place.bucket, place.index]),
      more,
    };
  },
});

function changeRecord({ at, link, account, level, days }: Change): ChangeRecord {
  return {
    at: momentText(at),
    id: link,
    account: decodeId(account.slice(link.length + 1)),
    level: level === 'blog' ? level : LEVEL_WORDS[level],
    days,
  };
}
