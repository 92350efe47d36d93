import type { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import { z } from 'zod';

export type SearchEngineAdsCredentials = z.output<typeof CREDENTIALS_SCHEMAS.SEARCH_ENGINE_ADS>;
export type SearchEngineAdsSettings = z.output<typeof SETTINGS_SCHEMAS.SEARCH_ENGINE_ADS>;

/** 64-bit numbers are sent as text, ids too. */
const ProviderIdSchema = z
  .union([z.string().regex(/^\d{1,20}$/), z.number().int().nonnegative()])
  .transform(String);
/** Counts come as text, doubles as numbers; their values are checked where they are converted. */
const ProviderNumberSchema = z.union([z.string(), z.number()]);
const ProviderNodeSchema = z.object({ id: ProviderIdSchema });

/** One page of a search: without rows the list itself is absent, and any page may name a next one. */
export function providerPageSchema<T>(row: z.ZodType<T>) {
  return z.object({
    results: z.array(row).default([]),
    nextPageToken: z.string().optional(),
  });
}

export const ProviderAccessibleSchema = z.object({
  resourceNames: z.array(z.string().regex(/^customers\/\d+$/)).default([]),
});

export const ProviderClientRowSchema = z.object({
  customerClient: z.object({
    id: ProviderIdSchema,
    descriptiveName: z.string().optional(),
    manager: z.boolean().default(false),
    status: z.string().optional(),
    currencyCode: z.string().optional(),
    timeZone: z.string().optional(),
  }),
});
export type ProviderClient = z.infer<typeof ProviderClientRowSchema>['customerClient'];

const ProviderNamedSchema = ProviderNodeSchema.extend({
  name: z.string().optional(),
  status: z.string().optional(),
});

export const ProviderEntityRowSchema = z.object({
  campaign: ProviderNamedSchema.optional(),
  adGroup: ProviderNamedSchema.optional(),
  adGroupAd: z
    .object({
      status: z.string().optional(),
      ad: ProviderNodeSchema.extend({ name: z.string().optional() }),
    })
    .optional(),
});
export type ProviderEntityRow = z.infer<typeof ProviderEntityRowSchema>;

export const ProviderPlaceRowSchema = z.object({
  geoTargetConstant: ProviderNodeSchema.extend({
    name: z.string().optional(),
    canonicalName: z.string().optional(),
  }),
});

/** What any of the statistics queries select; metrics have presence, a zero may be left out. */
export const ProviderRowSchema = z.object({
  customer: ProviderNodeSchema,
  campaign: ProviderNodeSchema.optional(),
  adGroup: ProviderNodeSchema.optional(),
  adGroupAd: z.object({ ad: ProviderNodeSchema }).optional(),
  adGroupCriterion: z
    .object({
      criterionId: ProviderIdSchema,
      keyword: z.object({ text: z.string().optional() }).optional(),
      ageRange: z.object({ type: z.string().optional() }).optional(),
      gender: z.object({ type: z.string().optional() }).optional(),
    })
    .optional(),
  userLocationView: z
    .object({
      countryCriterionId: ProviderIdSchema.optional(),
      targetingLocation: z.boolean().default(false),
    })
    .optional(),
  segments: z.object({
    date: z.string(),
    device: z.string().optional(),
    hour: z.number().int().min(0).max(23).optional(),
    geoTargetRegion: z.string().optional(),
  }),
  metrics: z
    .object({
      impressions: ProviderNumberSchema.default('0'),
      clicks: ProviderNumberSchema.default('0'),
      costMicros: ProviderNumberSchema.default('0'),
      conversions: ProviderNumberSchema.default(0),
      conversionsValue: ProviderNumberSchema.default(0),
    })
    .prefault({}),
});
export type ProviderRow = z.infer<typeof ProviderRowSchema>;

const ProviderFailureErrorSchema = z.object({
  /** One entry: the family of codes and the code. */
  errorCode: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  message: z.string().optional(),
  details: z
    .object({
      quotaErrorDetails: z
        .object({ rateScope: z.string().optional(), retryDelay: z.string().optional() })
        .optional(),
    })
    .optional(),
});
export type ProviderFailureError = z.infer<typeof ProviderFailureErrorSchema>;

const ProviderErrorBodySchema = z.object({
  error: z.object({
    code: z.number().int(),
    /** The canonical word: `PERMISSION_DENIED`. */
    status: z.string().optional(),
    message: z.string().optional(),
    details: z
      .array(z.object({ errors: z.array(ProviderFailureErrorSchema).optional() }))
      .optional(),
  }),
});
/** A search answers an object, a stream an array of one. */
export const ProviderErrorSchema = z
  .union([ProviderErrorBodySchema, z.tuple([ProviderErrorBodySchema]).transform(([body]) => body)])
  .transform(({ error }) => error);
export type ProviderError = z.infer<typeof ProviderErrorSchema>;
