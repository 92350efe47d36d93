import type { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from '@tributary/shared';
import { z } from 'zod';

export type Portal1DaCredentials = z.output<typeof CREDENTIALS_SCHEMAS.PORTAL1_DA>;
export type Portal1DaSettings = z.output<typeof SETTINGS_SCHEMAS.PORTAL1_DA>;

/** Numbers of accounts and objects; some answers tell them as text. */
const ProviderNoSchema = z
  .union([z.number().int().nonnegative(), z.string().regex(/^\d{1,30}$/)])
  .transform(String);

/** Figures come as numbers or as text; their values are checked where they are converted. */
const ProviderFigureSchema = z.union([z.string(), z.number()]);

/** One page of any list; the platform names the rows `content` and, elsewhere, `contents`. */
export function providerPageSchema<T>(row: z.ZodType<T>) {
  return z
    .object({
      content: z.array(row).optional(),
      contents: z.array(row).optional(),
      totalElements: z.coerce.number().int().nonnegative(),
      last: z.boolean(),
    })
    .refine(({ content, contents }) => (content ?? contents) !== undefined, {
      error: 'expected content or contents',
      path: ['content'],
    });
}

export const ProviderAccountSchema = z.object({
  no: ProviderNoSchema,
  name: z.string().nullish(),
  disabled: z.boolean().nullish(),
});
export type ProviderAccount = z.infer<typeof ProviderAccountSchema>;

/** A manager account with what lies below it; ad accounts are there by number only. */
export interface ProviderManager {
  no: string;
  childManagerAccounts?: ProviderManager[] | null | undefined;
  childAdAccountNos?: string[] | null | undefined;
}
export const ProviderManagerSchema: z.ZodType<ProviderManager> = z.object({
  no: ProviderNoSchema,
  get childManagerAccounts() {
    return z.array(ProviderManagerSchema).nullish();
  },
  childAdAccountNos: z.array(ProviderNoSchema).nullish(),
});

export const ProviderEntitySchema = z.object({
  no: ProviderNoSchema,
  name: z.string().nullish(),
  activated: z.boolean().nullish(),
  deleted: z.boolean().nullish(),
  campaignNo: ProviderNoSchema.nullish(),
  adSetNo: ProviderNoSchema.nullish(),
});
export type ProviderEntity = z.infer<typeof ProviderEntitySchema>;

/** One row of past performance; numbers below the level that was asked for are null. */
export const ProviderPerformanceSchema = z.object({
  targetDate: z.string(),
  hour: ProviderFigureSchema.nullish(),
  campaignNo: ProviderNoSchema.nullish(),
  adSetNo: ProviderNoSchema.nullish(),
  creativeNo: ProviderNoSchema.nullish(),
  impCount: ProviderFigureSchema,
  clickCount: ProviderFigureSchema,
  /** What is spent, with the tax: not what is earned. */
  sales: ProviderFigureSchema,
  convCount: ProviderFigureSchema,
  convSales: ProviderFigureSchema,
});
export type ProviderPerformance = z.infer<typeof ProviderPerformanceSchema>;

export const ProviderPerformancePageSchema = z.object({
  rows: z.array(ProviderPerformanceSchema),
  /** The token of the next page, good for ten minutes; absent on the last one. */
  next: z.string().min(1).nullish(),
});

const GatewayErrorSchema = z.object({ errorCode: z.string(), errorMessage: z.string().optional() });
const ApiErrorSchema = z.object({
  error: z.object({
    code: z.string(),
    detailCode: z.string().nullish(),
    message: z.string().nullish(),
    description: z.string().nullish(),
  }),
});

/** What the gateway before the API refuses with, or the API itself. */
export const ProviderErrorSchema = z.union([GatewayErrorSchema, ApiErrorSchema]);
