import type { SETTINGS_SCHEMAS } from '@tributary/shared';
import { z } from 'zod';
import { ProviderIdSchema } from '../portal2/schema.ts';

export type Portal2DisplaySettings = z.output<typeof SETTINGS_SCHEMAS.PORTAL2_DISPLAY>;

/** A list of campaigns, ad groups or creatives: id, name and state, all at once. */
export const ProviderListSchema = z.object({
  content: z.array(
    z.object({
      id: ProviderIdSchema,
      name: z.string().nullish(),
      config: z.string().nullish(),
    }),
  ),
  /** Only a list with pages has it. */
  last: z.literal(true, { error: 'expected a list without further pages' }).optional(),
});
