import type { Millis } from '@tributary/shared';
import { type Account, accounts, LINK_ACCOUNT } from './accounts.ts';
import { type Database, READ } from './database.ts';
import { nextPlanOf } from './due-accounts.ts';
import { type AuthorizedLink, isOpenLink } from './links.ts';
import { tenantScope } from './tenant-scope.ts';

interface LinkAccounts {
  /** The pseudo account that finds the others. */
  search: Account | undefined;
  /** The ad accounts, by id. */
  accounts: Account[];
  /** When the first of them all is planned next; undefined while all rest or the link is not open. */
  nextPlanAt: Millis | undefined;
}

/** Everything of a link that is planned. */
export async function readLinkAccounts(db: Database, link: AuthorizedLink): Promise<LinkAccounts> {
  const all = await accounts(db)
    .find({ link: link._id, ...tenantScope(link.tenant) }, READ)
    .sort({ _id: 1 })
    .toArray();
  return {
    search: all.find(({ account }) => account === LINK_ACCOUNT),
    accounts: all.filter(({ account }) => account !== LINK_ACCOUNT),
    nextPlanAt: isOpenLink(link) ? nextPlanOf(...all) : undefined,
  };
}
