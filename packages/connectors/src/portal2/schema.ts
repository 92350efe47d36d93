import type { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import { z } from 'zod';
import { camelKeys } from './camel-keys.ts';

export type Portal2Credentials = z.output<typeof CREDENTIALS_SCHEMAS.PORTAL2_DISPLAY>;
/** What the settings of both platforms have in common. */
export type Portal2Settings = Pick<
  z.output<typeof SETTINGS_SCHEMAS.PORTAL2_DISPLAY>,
  'adAccountIds' | 'timezone' | 'currency' | 'conversionWindowDays'
>;

/** Ids come as numbers or as text; beyond 2^53 the reader keeps them as text. */
export const ProviderIdSchema = z
  .union([z.string().min(1), z.number().int().nonnegative()])
  .transform(String);

/** Numbers may come as text. Their values are checked where they are converted. */
const ProviderValueSchema = z.union([z.string(), z.number(), z.boolean()]).nullish();
export type ProviderValue = z.infer<typeof ProviderValueSchema>;

/** An object whose keys are snake case on one platform and camel case on the other: read under the camel case. */
export function camelCased<T>(schema: z.ZodType<T>) {
  return z.preprocess((value, context) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { renamed, clash } = camelKeys(value);
    if (clash === undefined) return renamed;
    context.addIssue({ code: 'custom', message: `two spellings of '${clash}'` });
    return z.NEVER;
  }, schema);
}

const ProviderFieldsSchema = camelCased(z.record(z.string(), ProviderValueSchema));
export type ProviderFields = z.infer<typeof ProviderFieldsSchema>;

export const ProviderReportRowSchema = z.object({
  start: z.string(),
  end: z.string(),
  dimensions: ProviderFieldsSchema,
  metrics: ProviderFieldsSchema,
});
export type ProviderReportRow = z.infer<typeof ProviderReportRowSchema>;

/** A report comes whole: neither platform pages it. */
export const ProviderReportSchema = z.object({ data: z.array(ProviderReportRowSchema) });

export const ProviderConfigSchema = z.enum(['ON', 'OFF', 'DEL']);
export type ProviderConfig = z.infer<typeof ProviderConfigSchema>;

/** One page of `/adAccounts/pages`; pages count from 0. */
export const ProviderAccountPageSchema = z.object({
  content: z.array(
    z.object({
      id: ProviderIdSchema,
      name: z.string().nullish(),
      config: z.string().optional(),
    }),
  ),
  totalElements: z.coerce.number().int().nonnegative(),
  totalPages: z.coerce.number().int().nonnegative(),
});
export type ProviderAccountPage = z.infer<typeof ProviderAccountPageSchema>;

export const ProviderErrorSchema = z.object({
  code: z.coerce.number().int().negative(),
  msg: z.string().nullish(),
  extras: z
    .object({
      detailCode: z.coerce.number().int().optional().catch(undefined),
      detailMsg: z.string().optional().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
export type ProviderError = z.infer<typeof ProviderErrorSchema>;
