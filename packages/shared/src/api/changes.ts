import { z } from 'zod';
import { LEVEL_WORDS } from '../levels.ts';
import { PAGE_QUERY } from './page.ts';

/** GET /changes. `cursor` comes from the answer before; without one the feed begins with the oldest change kept. */
export const ListChangesQuerySchema = z.strictObject(PAGE_QUERY);

/** What moved: read these days of this level again. */
export const ChangeSchema = z
  .strictObject({
    /** ISO 8601 UTC */
    at: z.string(),
    /** The linked data record. */
    id: z.string(),
    /** The platform's id of the ad account; of a blog its only one. */
    account: z.string(),
    level: z.enum([...Object.values(LEVEL_WORDS), 'blog']),
    days: z.array(z.string()),
  })
  .meta({ id: 'Change' });
export type ChangeRecord = z.infer<typeof ChangeSchema>;

export const ChangesSchema = z
  .strictObject({
    changes: z.array(ChangeSchema),
    /** Where the feed goes on. */
    cursor: z.string(),
    /** More can be read at once; otherwise come back later. */
    more: z.boolean(),
  })
  .meta({ id: 'Changes' });
