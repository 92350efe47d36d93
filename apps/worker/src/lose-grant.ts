import {
  endTurn,
  LINK_ACCOUNT,
  type Link,
  listAccounts,
  restLink,
  setLinkStatus,
  wantDiscovery,
} from '@tributary/database';
import type { AuthLostError } from '@tributary/runtime';
import { isOpen } from '@tributary/shared';
import type { WorkerDeps } from './deps.ts';
import { findOpenLink } from './link-access.ts';
import type { Turn } from './work-on-account.ts';

/** May be one account's trouble and not the grant's: the link's other accounts go on until none is left. */
const ACCOUNT_CODES: ReadonlySet<string> = new Set([
  'object_missing',
  'account_closed',
  'permission_missing',
  'scope_missing', // platform 1 says the same of an account that the user may no longer see
]);

/**
 * Puts the link to rest until a person mends it, with the reason. New credentials that came in the meantime are not
 * blamed for what the old ones failed with.
 *
 * @returns false when the error concerns this account alone
 */
export async function loseGrant(
  { db, clock, logger }: WorkerDeps,
  { account, lane, run }: Turn,
  { link, error }: { link: Link; error: AuthLostError },
): Promise<boolean> {
  if (ACCOUNT_CODES.has(error.code) && account.account !== LINK_ACCOUNT) {
    const others = (await listAccounts(db, link._id)).filter(
      ({ _id, status, tree: { code = '' } }) =>
        _id !== account._id && isOpen(status) && !ACCOUNT_CODES.has(code),
    );
    if (others.length > 0) return false;
  }
  const { code, message } = error;
  const isLost = await setLinkStatus(db, link._id, {
    status: 'Disconnect',
    reason: { code, message },
    gen: link.gen,
    now: clock.now(),
  });
  await endTurn(db, { id: account._id, lane, run });
  if (!isLost) return true;
  await restLink(db, link._id);
  logger.warn({ link: link._id, code, detail: message }, 'A link waits for a person');
  // Credentials saved just now have woken the accounts before they were put to rest.
  const again = await findOpenLink({ db }, account);
  if (again) await wantDiscovery(db, again, clock.now());
  return true;
}
