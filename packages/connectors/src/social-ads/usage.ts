import type { HttpAnswer } from '../http/http-client.ts';
import {
  ProviderBusinessUsageHeaderSchema,
  type ProviderUsage,
  ProviderUsageHeaderSchema,
} from './schema.ts';

/** How much of the allowance is used. */
export interface Usage {
  /** The highest of all percentages; 100 = blocked. */
  percent: number;
  /** The platform's own estimate until calls are allowed again; 0 when it gives none. */
  regainMs: number;
}

/** Above this share of the allowance calls stop, so that the limit itself is not hit. */
export const USAGE_MAX_PERCENT = 95;

/** A longer estimate is believed for this long, and then asked for again. */
const REGAIN_MOST_MS = 24 * 3_600_000;

/** Reads the usage headers. One that cannot be read is left out: it is advice, and the error code still tells. */
export function usageOf(headers: HttpAnswer['headers']): Usage {
  const business = parsed(headers['x-business-use-case-usage'], (value) => {
    const known = ProviderBusinessUsageHeaderSchema.safeParse(value);
    return known.success ? Object.values(known.data).flat() : [];
  });
  const others = ['x-app-usage', 'x-ad-account-usage', 'x-fb-ads-insights-throttle'].flatMap(
    (name) =>
      parsed(headers[name], (value) => {
        const known = ProviderUsageHeaderSchema.safeParse(value);
        return known.success ? [known.data] : [];
      }),
  );
  const all = [...business, ...others];
  const minutes = Math.max(0, ...all.map((usage) => usage.estimated_time_to_regain_access ?? 0));
  return {
    percent: Math.max(0, ...all.map(percentOf)),
    regainMs: Math.min(minutes * 60_000, REGAIN_MOST_MS),
  };
}

function parsed(
  header: string | undefined,
  read: (value: unknown) => ProviderUsage[],
): ProviderUsage[] {
  if (header === undefined) return [];
  try {
    return read(JSON.parse(header));
  } catch {
    return [];
  }
}

function percentOf(usage: ProviderUsage): number {
  return Math.max(
    usage.call_count ?? 0,
    usage.total_cputime ?? 0,
    usage.total_time ?? 0,
    usage.acc_id_util_pct ?? 0,
    usage.app_id_util_pct ?? 0,
  );
}
