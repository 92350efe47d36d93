import type { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import { z } from 'zod';

export type SearchAdCredentials = z.output<typeof CREDENTIALS_SCHEMAS.PORTAL1_SEARCH_AD>;
export type SearchAdSettings = z.output<typeof SETTINGS_SCHEMAS.PORTAL1_SEARCH_AD>;

/** Customer and job numbers come as JSON numbers. */
const ProviderNumberIdSchema = z
  .union([z.string().min(1), z.number().int().nonnegative()])
  .transform(String);

export const ProviderAdAccountsSchema = z.object({
  content: z.array(
    z.object({
      adAccount: z.object({
        name: z.string().nullish(),
        currency: z.string().nullish(),
        masterCustomerId: ProviderNumberIdSchema.nullish(),
        deleted: z.boolean().nullish(),
        disabled: z.boolean().nullish(),
      }),
    }),
  ),
  totalPages: z.number().int().nonnegative(),
});
export type ProviderAdAccount = z.infer<
  typeof ProviderAdAccountsSchema
>['content'][number]['adAccount'];

const StatusSchema = z.string().nullish();

export const ProviderCampaignSchema = z.object({
  nccCampaignId: z.string().min(1),
  name: z.string().nullish(),
  status: StatusSchema,
});

export const ProviderAdGroupSchema = z.object({
  nccAdgroupId: z.string().min(1),
  nccCampaignId: z.string().min(1),
  name: z.string().nullish(),
  status: StatusSchema,
});

/** What an ad shows depends on its type; kinds without a headline have none. */
export const ProviderAdSchema = z.object({
  nccAdId: z.string().min(1),
  nccAdgroupId: z.string().min(1),
  ad: z.unknown(),
  status: StatusSchema,
});
export const ProviderHeadlineSchema = z.object({ headline: z.string().min(1) });

export const ProviderKeywordSchema = z.object({
  nccKeywordId: z.string().min(1),
  keyword: z.string().nullish(),
});

export const ProviderDictionarySchema = z.array(
  z.object({ dictionaryCode: z.string(), name: z.string().nullish() }),
);

export const ProviderJobSchema = z.object({
  reportJobId: ProviderNumberIdSchema,
  reportTp: z.string(),
  status: z.string(),
  downloadUrl: z.string().nullish(),
  /** ISO 8601, UTC. */
  regTm: z.string().nullish(),
});
export type ProviderJob = z.infer<typeof ProviderJobSchema>;

/** The reports' form has a code and a message, the lists' a code and a title, the signature's a type and a title. */
export const ProviderErrorSchema = z
  .object({
    code: z.number().int().optional(),
    type: z.string().optional(),
    message: z.string().optional(),
    title: z.string().optional(),
  })
  .refine(({ code, type }) => code !== undefined || type !== undefined);
export type ProviderError = z.infer<typeof ProviderErrorSchema>;
