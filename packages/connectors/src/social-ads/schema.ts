import type { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import { z } from 'zod';

export type SocialAdsCredentials = z.output<typeof CREDENTIALS_SCHEMAS.SOCIAL_ADS>;
export type SocialAdsSettings = z.output<typeof SETTINGS_SCHEMAS.SOCIAL_ADS>;

/** Ids are text, but some answers send digits as a number; beyond 2^53 the reader keeps them as text. */
const ProviderIdSchema = z
  .union([z.string().min(1), z.number().int().nonnegative()])
  .transform(String);

/** Metrics come as text; a number is taken as well. Their values are checked where they are converted. */
const ProviderNumberSchema = z.union([z.string(), z.number()]);

const ProviderPagingSchema = z.object({
  cursors: z.object({ after: z.string().optional() }).optional(),
  next: z.string().optional(),
});

/** One page of any list: `next` is absent on the last page and may be present on an empty one. */
export function providerPageSchema<T>(row: z.ZodType<T>) {
  return z.object({ data: z.array(row), paging: ProviderPagingSchema.optional() });
}

export const ProviderAccountSchema = z.object({
  id: ProviderIdSchema,
  account_id: ProviderIdSchema.optional(),
  name: z.string().optional(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  timezone_name: z.string().min(1),
  account_status: z.number().int(),
});
export type ProviderAccount = z.infer<typeof ProviderAccountSchema>;

export const ProviderEntitySchema = z.object({
  id: ProviderIdSchema,
  name: z.string().optional(),
  effective_status: z.string().optional(),
  campaign_id: ProviderIdSchema.optional(),
  adset_id: ProviderIdSchema.optional(),
});
export type ProviderEntity = z.infer<typeof ProviderEntitySchema>;

const ProviderActionSchema = z.object({
  action_type: z.string(),
  value: ProviderNumberSchema.optional(),
});
export type ProviderAction = z.infer<typeof ProviderActionSchema>;

export const ProviderInsightSchema = z.object({
  account_id: ProviderIdSchema,
  campaign_id: ProviderIdSchema.optional(),
  adset_id: ProviderIdSchema.optional(),
  ad_id: ProviderIdSchema.optional(),
  date_start: z.string(),
  date_stop: z.string(),
  impressions: ProviderNumberSchema,
  clicks: ProviderNumberSchema,
  spend: ProviderNumberSchema,
  reach: ProviderNumberSchema.optional(),
  actions: z.array(ProviderActionSchema).optional(),
  action_values: z.array(ProviderActionSchema).optional(),
  age: z.string().optional(),
  gender: z.string().optional(),
  country: z.string().optional(),
  region: z.string().optional(),
  device_platform: z.string().optional(),
  hourly_stats_aggregated_by_advertiser_time_zone: z.string().optional(),
});
export type ProviderInsight = z.infer<typeof ProviderInsightSchema>;

export const ProviderReportSchema = z.object({ report_run_id: ProviderIdSchema });

/** A report run's state; since v25 a failed one says why. */
export const ProviderReportStatusSchema = z.object({
  async_status: z.string(),
  async_percent_completion: z.coerce.number(),
  error_code: z.number().optional(),
  error_subcode: z.number().optional(),
  error_message: z.string().optional(),
  error_user_msg: z.string().optional(),
});
export type ProviderReportStatus = z.infer<typeof ProviderReportStatusSchema>;

/** What the platform knows of a token. */
export const ProviderTokenStateSchema = z.object({
  data: z.object({
    is_valid: z.boolean(),
    /** Seconds since 1970; 0 or absent = it does not end. */
    expires_at: z.number().int().nonnegative().optional(),
  }),
});

export const ProviderExchangeSchema = z.object({ access_token: z.string().min(1) });

export const ProviderErrorSchema = z.object({
  error: z.object({
    code: z.number().int(),
    error_subcode: z.number().int().optional(),
    message: z.string().optional(),
    error_user_msg: z.string().nullish(),
    is_transient: z.boolean().optional(),
  }),
});
export type ProviderError = z.infer<typeof ProviderErrorSchema>['error'];

const ProviderUsageSchema = z.object({
  call_count: z.number().optional(),
  total_cputime: z.number().optional(),
  total_time: z.number().optional(),
  acc_id_util_pct: z.number().optional(),
  app_id_util_pct: z.number().optional(),
  /** Minutes. */
  estimated_time_to_regain_access: z.number().optional(),
});
export type ProviderUsage = z.infer<typeof ProviderUsageSchema>;

/** `x-app-usage`, `x-ad-account-usage`, `x-fb-ads-insights-throttle`. */
export const ProviderUsageHeaderSchema = ProviderUsageSchema;
/** `x-business-use-case-usage`, keyed by the bare id of the business object. */
export const ProviderBusinessUsageHeaderSchema = z.record(z.string(), z.array(ProviderUsageSchema));
