import { createComment, deleteComment, listComments, updateComment } from '@tributary/database';
import {
  CommentSchema,
  CreateCommentBodySchema,
  DeleteCommentQuerySchema,
  ListCommentsQuerySchema,
  UpdateCommentBodySchema,
} from '@tributary/shared';
import { z } from 'zod';
import { createCursors } from '../http/cursor.ts';
import { defineRoute } from '../http/define-route.ts';
import { listReply, PAGES_WORDS } from '../http/page.ts';
import { ProblemError } from '../http/problem.ts';
import { quote } from '../http/quote.ts';
import { noContent, Reply } from '../http/reply.ts';
import { commentRecord } from './records.ts';

const path = '/comment';
/** The last comment of a page. */
const PlaceSchema = z.tuple([z.int().min(1)]);
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
  idempotent: true,
  status: 201,
  query: noQuery,
  body: CreateCommentBodySchema,
  response: CommentSchema,
  scope: 'write',
  async handle({ body, context: { tenant, now } }, { db }) {
    const comment = await createComment(db, tenant, { ...body, now });
    const data = commentRecord(comment);
    return new Reply({
      status: 201,
      headers: { Location: `comment?key=${encodeURIComponent(data.key)}` },
      data,
    });
  },
});

export const updateCommentRoute = defineRoute({
  method: 'PUT',
  path,
  summary: 'Changes title and contents of a comment',
  problems: ['comment_not_found'],
  query: noQuery,
  body: UpdateCommentBodySchema,
  response: CommentSchema,
  scope: 'write',
  async handle({ body, context: { tenant, now } }, { db }) {
    const comment = await updateComment(db, tenant, { ...body, now });
    if (!comment) throw notFound(body);
    return commentRecord(comment);
  },
});

export const deleteCommentRoute = defineRoute({
  method: 'DELETE',
  path,
  summary: 'Deletes a comment',
  problems: ['comment_not_found'],
  query: DeleteCommentQuerySchema,
  scope: 'write',
  async handle({ query, context }, { db }) {
    if (!(await deleteComment(db, context.tenant, query))) throw notFound(query);
    return noContent;
  },
});

function notFound({ key, idx }: { key: string; idx: number }): ProblemError {
  return new ProblemError('comment_not_found', `No comment ${idx} has the key ${quote(key)}`);
}
