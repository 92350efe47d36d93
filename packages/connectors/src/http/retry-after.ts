const DEFAULT_MS = 60_000;
const MOST_MS = 3_600_000;

/**
 * The time (epoch ms) before which nothing should be called again: seconds or an HTTP date. What is absent, negative or
 * unreadable becomes a minute plus up to half a minute of jitter, so that many accounts do not return at one moment;
 * more than an hour is cut to an hour.
 */
export function retryAfter(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  if (Number.isNaN(waitMs) || waitMs < 0) return now + DEFAULT_MS * (1 + Math.random() / 2);
  return now + Math.min(waitMs, MOST_MS);
}

/** Only the form with a weekday name: Date.parse would read '-1' as a year. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
}
