import { createHash } from 'node:crypto';
import { type Change, type ChangePlace, decodeId, readChanges } from '@tributary/database';
import {
  CHANGES_PAGE_MAX,
  type ChangeRecord,
  ChangesSchema,
  LEVEL_WORDS,
  ListChangesQuerySchema,
} from '@tributary/shared';
import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import { invalidRequest, ProblemError } from '../http/problem.ts';
import { quote } from '../http/quote.ts';

const CursorSchema = z.tuple([z.string(), z.int().min(0), z.int().min(0).max(99)]);

/** Tells a cursor of this tenant's feed from others. */
function ownerMark(tenant: string): string {
  return createHash('sha256').update(`changes ${tenant}`).digest('base64url').slice(0, 8);
}

function writeCursor(tenant: string, { bucket, index }: ChangePlace): string {
  return Buffer.from(JSON.stringify([ownerMark(tenant), bucket, index])).toString('base64url');
}

/** @throws ProblemError `invalid_request` for a cursor that we did not make for this tenant */
function readCursor(tenant: string, cursor: string): ChangePlace {
  try {
    const [, bucket, index] = CursorSchema.parse(
      JSON.parse(Buffer.from(cursor, 'base64url').toString()),
    );
    const place = { bucket, index };
    if (writeCursor(tenant, place) === cursor) return place;
  } catch {
    // Falls through: whatever is wrong with it, it is not ours.
  }
  const message = `Invalid value ${quote(cursor)} in query.cursor, expected the cursor of an earlier answer`;
  throw invalidRequest([{ in: 'query', name: 'cursor', message }]);
}

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
  async handle({ query: { cursor, limit = CHANGES_PAGE_MAX }, context: { tenant } }, { db }) {
    const after = cursor === undefined ? undefined : readCursor(tenant, cursor);
    const page = await readChanges(db, tenant, { after, limit });
    if (!page) {
      throw new ProblemError(
        'cursor_expired',
        'Changes behind this cursor are no longer kept: read everything again and begin without a cursor',
      );
    }
    const { changes, place, more } = page;
    return { changes: changes.map(changeRecord), cursor: writeCursor(tenant, place), more };
  },
});

function changeRecord({ at, link, account, level, days }: Change): ChangeRecord {
  return {
    at: new Date(at).toISOString(),
    id: link,
    account: decodeId(account.slice(link.length + 1)),
    level: level === 'blog' ? level : LEVEL_WORDS[level],
    days,
  };
}
