import type { SETTINGS_SCHEMAS } from '@tributary/shared';
import { z } from 'zod';
import { camelCased, ProviderIdSchema } from '../portal2/schema.ts';

export type KeywordSettings = z.output<typeof SETTINGS_SCHEMAS.PORTAL2_KEYWORD>;

const listOf = <T>(schema: z.ZodType<T>) => z.array(camelCased(schema));
const named = {
  id: ProviderIdSchema,
  name: z.string().nullish(),
  config: z.string().nullish(),
};

/** `/campaigns` and the lists below come whole: the platform does not page them. */
export const ProviderCampaignsSchema = listOf(
  z.object({ ...named, bizChannelId: ProviderIdSchema.nullish() }),
);

/** `/adGroups?campaignId` */
export const ProviderAdGroupsSchema = listOf(z.object(named));

/** `/creativeLinks?adGroupId`: the link is what reports count; the creative has the name. */
export const ProviderCreativeLinksSchema = listOf(
  z
    .object({
      creativeLinkId: ProviderIdSchema,
      creativeId: ProviderIdSchema.nullish(),
      config: z.string().nullish(),
    })
    .transform(({ creativeLinkId: id, ...link }) => ({ id, ...link })),
);

/** `/keywords?adGroupId` */
export const ProviderKeywordsSchema = listOf(
  z.object({ id: ProviderIdSchema, text: z.string().min(1) }),
);

/** One page of `/creatives/basic?bizChannelId`. */
export const ProviderCreativePageSchema = z.object({
  content: z.array(camelCased(z.object({ id: ProviderIdSchema, name: z.string().nullish() }))),
});
