import { createComment, deleteComment, listComments, updateComment } from '@tributary/database';
import {
  type CommentRecord,
  CommentSchema,
  CreateCommentBodySchema,
  DeleteCommentQuerySchema,
  ListCommentsQuerySchema,
  UpdateCommentBodySchema,
} from '@tributary/shared';
import { z } from 'zod';
import { createCursors } from '../http/cursor.ts';
import { defineRoute } from '../http/define-route.ts';
import { preconditionFailed } from '../http/if-match.ts';
import { listReply, PAGES_WORDS } from '../http/page.ts';
import { ProblemError } from '../http/problem.ts';
import { quote } from '../http/quote.ts';
import { noContent, Reply } from '../http/reply.ts';
import { commentRecord } from './records.ts';

const path = '/comment';
/** The last comment of a page. */
const PlaceSchema = z.tuple([z.int().min(1)]);
const VERSION_WORDS =
  'With `If-Match: "<udate>"`, the `udate` of the comment as it was read, nothing is done to one that was changed since: 412.';
const noQuery = z.strictObject({});

export const listCommentsRoute = defineRoute({
  method: 'GET',
  path,
  summary: 'Comments, ordered by number',
  description: PAGES_WORDS,
  paged: true,
  query: ListCommentsQuerySchema,
  response: z.array(CommentSchema),
  scope: 'read',
  async handle({ query, context }, { db }) {
    const { tenant } = context;
    const key = query.key || undefined;
    const cursors = createCursors({ path: 'comment', tenant, filters: [key] }, PlaceSchema);
    const [after] = cursors.read(query.cursor) ?? [];
    return listReply({
      query,
      read: (limit) => listComments(db, tenant, { key, after, limit }),
      cursorOf: ({ idx }) => cursors.write([idx]),
      recordsOf: (comments) => comments.map(commentRecord),
    });
  },
});

export const createCommentRoute = defineRoute({
  method: 'POST',
  path,
  summary: 'Files a comment under a tag key',
  versioned: true,
  idempotent: true,
  status: 201,
  query: noQuery,
  body: CreateCommentBodySchema,
  response: CommentSchema,
  scope: 'write',
  async handle({ body, context: { tenant, now } }, { db }) {
    const comment = await createComment(db, tenant, { ...body, now });
    const data = commentRecord(comment);
    const Location = `comment?key=${encodeURIComponent(data.key)}`;
    return new Reply({ status: 201, headers: { Location, ETag: versionTag(data) }, data });
  },
});

export const updateCommentRoute = defineRoute({
  method: 'PUT',
  path,
  summary: 'Changes title and contents of a comment',
  description: VERSION_WORDS,
  versioned: true,
  problems: ['comment_not_found'],
  query: noQuery,
  body: UpdateCommentBodySchema,
  response: CommentSchema,
  scope: 'write',
  async handle({ body, context: { tenant, now, ifMatch } }, { db }) {
    const comment = await updateComment(db, tenant, {
      ...body,
      now,
      versions: versionsOf(ifMatch),
    });
    if (comment === 'changed') throw changed(body);
    if (!comment) throw notFound(body);
    const data = commentRecord(comment);
    return new Reply({ headers: { ETag: versionTag(data) }, data });
  },
});

export const deleteCommentRoute = defineRoute({
  method: 'DELETE',
  path,
  summary: 'Deletes a comment',
  description: VERSION_WORDS,
  versioned: true,
  problems: ['comment_not_found'],
  query: DeleteCommentQuerySchema,
  scope: 'write',
  async handle({ query, context }, { db }) {
    const versions = versionsOf(context.ifMatch);
    const deleted = await deleteComment(db, context.tenant, { ...query, versions });
    if (deleted === 'changed') throw changed(query);
    if (!deleted) throw notFound(query);
    return noContent;
  },
});

/** A comment's version is the moment of its last change, which no two changes share. */
function versionTag({ udate }: CommentRecord): string {
  return `"${udate}"`;
}

function versionsOf(ifMatch: readonly string[] | undefined): number[] | undefined {
  return ifMatch?.map((tag) => Date.parse(tag)).filter(Number.isSafeInteger);
}

function changed({ key, idx }: { key: string; idx: number }): ProblemError {
  return preconditionFailed(`Comment ${idx} of the key ${quote(key)} has been changed since`);
}

function notFound({ key, idx }: { key: string; idx: number }): ProblemError {
  return new ProblemError('comment_not_found', `No comment ${idx} has the key ${quote(key)}`);
}
