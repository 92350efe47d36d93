import { z } from 'zod';
import { PAGE_QUERY } from './page.ts';
import { blankableText, filledText } from './text.ts';

/** Characters of a tag, and of a comment's key. */
export const TAG_MAX = 100;
export const TITLE_MAX = 200;
const CONTENTS_MAX = 10_000;

const IdxTextSchema = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, { error: 'expected a comment number from 1 to 999999999999999' })
  .transform(Number);

/** A comment as sent (the interface's 2.2). */
export const CommentSchema = z
  .strictObject({
    idx: z.int().min(1),
    key: z.string(),
    title: z.string(),
    contents: z.string(),
    cdate: z.string(),
    udate: z.string(),
  })
  .meta({ id: 'Comment' });
export type CommentRecord = z.infer<typeof CommentSchema>;

/** GET /comment: a blank or missing key asks for all comments. */
export const ListCommentsQuerySchema = z.strictObject({
  key: blankableText(TAG_MAX).optional(),
  ...PAGE_QUERY,
});

export const CreateCommentBodySchema = z.strictObject({
  key: filledText(TAG_MAX),
  title: filledText(TITLE_MAX),
  contents: filledText(CONTENTS_MAX),
});

/** PUT /comment: the number comes as text; the equal JSON integer is accepted. */
export const UpdateCommentBodySchema = z.strictObject({
  key: filledText(TAG_MAX),
  idx: z.union([IdxTextSchema, z.int().min(1).max(999_999_999_999_999)], {
    error: 'expected a comment number from 1 to 999999999999999',
  }),
  title: filledText(TITLE_MAX),
  contents: filledText(CONTENTS_MAX),
});

export const DeleteCommentQuerySchema = z.strictObject({
  key: filledText(TAG_MAX),
  idx: IdxTextSchema,
});
