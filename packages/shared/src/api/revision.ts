import { z } from 'zod';
import { withRange } from './day.ts';
import { IdSchema, LevelWordSchema } from './entity.ts';
import { PAGE_QUERY } from './page.ts';

/** Revised entities of one answer that is not in pages. */
export const REVISIONS_MAX = 100_000;

/** GET /link/revisions. Without `level` all of them, and the blog's totals. */
export const RevisionsQuerySchema = withRange({
  id: IdSchema,
  level: LevelWordSchema.optional(),
  ...PAGE_QUERY,
});

/** The interface's names; null where the platform does not give the metric. */
const TotalsSchema = z.record(z.string(), z.number().nullable());

/** The totals of one entity and day that were final and changed all the same. */
export const RevisionSchema = z
  .strictObject({
    date: z.string(),
    level: z.union([LevelWordSchema, z.literal('blog')]),
    entity: z.string(),
    /** When the platform gave the new figures. */
    at: z.string(),
    before: TotalsSchema,
    after: TotalsSchema,
  })
  .meta({ id: 'Revision' });
export type RevisionRecord = z.infer<typeof RevisionSchema>;
