import { z } from 'zod';
import { ENTITY_STATUSES, LEVEL_WORDS } from '../levels.ts';
import { PAGE_QUERY } from './page.ts';
import { text } from './text.ts';

/** An id as a client sends it: any text; an unknown one is not found, not malformed. */
export const IdSchema = text(200).refine((value) => value !== '', {
  error: 'expected an id, not nothing',
});

export const LevelWordSchema = z.enum(Object.values(LEVEL_WORDS));

/** GET /link/entities. `parent` is the id one level up; `cursor` comes from the `Link` header of the page before. */
export const ListEntitiesQuerySchema = z.strictObject({
  id: IdSchema,
  level: LevelWordSchema,
  parent: IdSchema.optional(),
  ...PAGE_QUERY,
});

export const EntitySchema = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    level: LevelWordSchema,
    status: z.enum(ENTITY_STATUSES),
    parent: z.string(),
  })
  .meta({ id: 'Entity' });
export type EntityRecord = z.infer<typeof EntitySchema>;
