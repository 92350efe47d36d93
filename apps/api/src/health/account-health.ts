import { type Account, nextPlanOf } from '@tributary/database';
import { type AccountHealth, isOpen, LANES, type Millis, shortDetail } from '@tributary/shared';
import { momentText } from '../routes/records.ts';

/** How an account is, as its turns left it. Of a link that is not open nothing is attempted. */
export function accountHealth(account: Account, now: Millis, isLinkOpen: boolean): AccountHealth {
  const { account: id, title, status, zone, currency, lane, failing } = account;
  const isWorked = isLinkOpen && isOpen(status);
  const quiet = LANES.flatMap((one) => {
    const rest = lane[one].quiet;
    return rest && rest.until > now ? [{ lane: one, ...rest }] : [];
  });
  const waits = quiet.filter(({ code }) => code === 'rate_limited').map(({ until }) => until);
  return {
    id,
    title,
    status,
    zone,
    currency,
    frozenBefore: account.frozenBefore ?? null,
    lastReadAt: momentText(account.readAt),
    working: LANES.some((one) => lane[one].busyUntil > now),
    nextPlanAt: momentText(isWorked ? nextPlanOf(account) : undefined),
    failing: {
      asOf: momentText(failing?.at),
      sources: (isOpen(status) ? (failing?.sources ?? []) : []).map(({ retryAt, ...source }) => ({
        ...source,
        nextAttemptAt: momentText(isWorked ? retryAt : undefined),
      })),
    },
    quiet: quiet.map(({ lane: of, until, code, detail }) => ({
      lane: of,
      until: momentText(until),
      code,
      detail: shortDetail(detail),
    })),
    budget: { waitsUntil: momentText(waits.length > 0 ? Math.max(...waits) : undefined) },
  };
}
