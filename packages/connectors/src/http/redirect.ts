import { FatalError } from '@tributary/runtime';

/**
 * Refuses any redirect: following one would hand tokens in headers, query or body to whoever it names.
 *
 * @throws FatalError `redirect_refused`
 */
export function refuseRedirect(status: number, place: string): void {
  if (status < 300 || status > 399) return;
  throw new FatalError(
    'redirect_refused',
    `${place} answered with a redirect (${status}), which is never followed: configure the final address`,
  );
}
