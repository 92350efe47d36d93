import { z } from 'zod';
import { ENTITY_STATUSES, LEVEL_WORDS } from '../levels.ts';
import { text } from './text.ts';

export const ENTITIES_PAGE_MAX = 500;

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
  limit: z
    .string()
    .refine((value) => /^[1-9]\d{0,2}$/.test(value) && Number(value) <= ENTITIES_PAGE_MAX, {
      error: `expected a whole number from 1 to ${ENTITIES_PAGE_MAX}`,
    })
    .transform(Number)
    .optional(),
  cursor: text(1000).optional(),
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
