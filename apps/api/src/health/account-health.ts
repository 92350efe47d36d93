import { type Account, nextPlanOf } from '@tributary/database';
import { type AccountHealth, isOpen, LANES, type Millis, shortDetail } from '@tributary/shared';
import { momentText } from '../routes/records.ts';

/** How an account is, as its turns left it. Of a link that is not open nothing is attempted. */
export function accountHealth(account: Account, now: Millis, isLinkOpen: boolean): AccountHealth {
  const { account: id, title, status, zone, currency, lane, failing } = account;
  const isWorked = isLinkOpen && isOpen(status);
  const quiet = LANES.filter((one) => lane[one].until > now);
  const waits = quiet.filter((one) => lane[one].why?.code === 'rate_limited');
  const waitsUntil =
    waits.length > 0 ? Math.max(...waits.map((one) => lane[one].until)) : undefined;
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
    quiet: quiet.map((one) => {
      const { until, why } = lane[one];
      const detail = why ? shortDetail(why.detail) : null;
      return { lane: one, until: new Date(until).toISOString(), code: why?.code ?? null, detail };
    }),
    poisoned: quiet.some((one) => lane[one].why?.code === 'poisoned'),
    budget: { callsLeft: null, waitsUntil: momentText(waitsUntil) },
  };
}
