import { HOUR_MS } from '../world/days.ts';
import { effectiveStatusOn, type SocialAccount } from '../world/social-tree.ts';
import { GraphError } from './graph-error.ts';

/** Counts calls per account and hour of the sandbox clock and tells them in the platform's headers. */
export interface Usage {
  /** Counts one call; throws the platform's throttle when the hour's allowance is used up. */
  count(account: SocialAccount, isInsights: boolean): void;
  headers(account: SocialAccount, isInsights: boolean): Record<string, string>;
}

const MINUTE_MS = 60_000;

/** The use-case header for one account, keyed by the bare id as on the platform. */
export function useCaseHeader(
  accountId: string,
  percent: number,
  waitMinutes: number,
  isInsights = true,
): string {
  const usage = {
    type: isInsights ? 'ads_insights' : 'ads_management',
    call_count: percent,
    total_cputime: Math.floor(percent * 0.6),
    total_time: Math.floor(percent * 0.7),
    estimated_time_to_regain_access: waitMinutes,
    ads_api_access_tier: 'development_access',
  };
  return JSON.stringify({ [accountId]: [usage] });
}

function percentOf({ calls, allowed }: { calls: number; allowed: number }): number {
  return allowed === 0 ? 0 : Math.min(100, Math.floor((calls / allowed) * 100));
}

/** `allowance` overrides the limited tier's 600 + 400 calls per active ad; 0 lifts the limit. */
export function createUsage(now: () => number, allowance: number | undefined): Usage {
  const counters = new Map<string, { hour: number; calls: number; allowed: number }>();
  const counterOf = (account: SocialAccount) => {
    const hour = Math.floor(now() / HOUR_MS);
    const known = counters.get(account.id);
    if (known?.hour === hour) return known;
    const today = account.zone.dateAt(now());
    const active = account.ads.filter(
      (ad) => ad.createdOn <= today && effectiveStatusOn(ad, today) === 'ACTIVE',
    ).length;
    const counter = { hour, calls: 0, allowed: allowance ?? 600 + 400 * active };
    counters.set(account.id, counter);
    return counter;
  };
  return {
    count(account, isInsights) {
      const counter = counterOf(account);
      counter.calls += 1;
      if (counter.allowed === 0 || counter.calls <= counter.allowed) return;
      const waitMinutes = Math.ceil((HOUR_MS - (now() % HOUR_MS)) / MINUTE_MS);
      throw new GraphError({
        code: isInsights ? 80000 : 80004,
        subcode: 2446079,
        transient: true,
        message:
          'There have been too many calls to this ad-account. Wait a bit and try again. For more info, please refer to https://developers.facebook.com/docs/graph-api/overview/rate-limiting.',
        headers: {
          'x-business-use-case-usage': useCaseHeader(account.id, 100, waitMinutes, isInsights),
        },
      });
    },
    headers(account, isInsights) {
      const percent = percentOf(counterOf(account));
      const app = {
        call_count: Math.floor(percent / 2),
        total_time: Math.floor(percent / 3),
        total_cputime: Math.floor(percent / 4),
      };
      const insights = {
        app_id_util_pct: percent / 2,
        acc_id_util_pct: percent,
        ads_api_access_tier: 'development_access',
      };
      return {
        'x-business-use-case-usage': useCaseHeader(account.id, percent, 0, isInsights),
        'x-app-usage': JSON.stringify(app),
        ...(isInsights
          ? { 'x-fb-ads-insights-throttle': JSON.stringify(insights) }
          : {
              'x-ad-account-usage': JSON.stringify({
                acc_id_util_pct: percent,
                reset_time_duration: 300,
                ads_api_access_tier: 'development_access',
              }),
            }),
      };
    },
  };
}
