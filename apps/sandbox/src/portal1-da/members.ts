import type { Call } from '../http/call.ts';
import type { AdsAccount } from '../world/ads-tree.ts';
import type { DisplayWorld } from '../world/display.ts';
import { hash } from '../world/random.ts';
import { apiRefusal, badRequest } from './refusal.ts';

/** A manager account with what lies below it. */
export interface Manager {
  no: string;
  name: string;
  children: Manager[];
  /** Numbers of the ad accounts directly below. */
  accounts: AdsAccount[];
}

/** Who may see what: the login is a member of one ad account and of two manager accounts. */
export interface Members {
  /** Those that the login is a member of. */
  managers: Manager[];
  /** Throws the platform's refusal unless the call may read the account as it asks for it. */
  checkAccess(call: Call, no: string, detailCode?: string): AdsAccount;
}

/**
 * The second manager account holds the managed account two levels down, and the owned one too: a member is refused there
 * when it comes as a manager.
 */
export function createMembers(seed: string, world: DisplayWorld): Members {
  const manager = (name: string, below: Partial<Manager>): Manager => ({
    no: String(1_000 + (hash(`${seed}/display/manager/${name}`) % 9_000)),
    name,
    children: [],
    accounts: [],
    ...below,
  });
  const team = manager('팀', { accounts: [world.managed, world.closed] });
  const managers = [
    manager('빈 관리 계정', {}),
    manager('대행사', { children: [team], accounts: [world.owned] }),
  ];
  return {
    managers,
    checkAccess(call, no, detailCode) {
      const account = world.accounts.find(({ id }) => id === no);
      const sent = call.headers.accessmanageraccountno;
      if (sent !== undefined && !/^\d+$/.test(sent)) {
        throw badRequest(`AccessManagerAccountNo: ${sent}`);
      }
      const through = managers.find((one) => one.no === sent);
      const isMember = account === world.owned;
      const mayRead =
        sent === undefined
          ? isMember
          : !isMember && through !== undefined && accountsBelow(through).includes(account);
      if (account === undefined || !mayRead) throw forbidden(no, detailCode);
      return account;
    },
  };
}

function accountsBelow({ accounts, children }: Manager): (AdsAccount | undefined)[] {
  return [...accounts, ...children.flatMap(accountsBelow)];
}

/** The statistics have a word of their own for it; the lists have none. */
function forbidden(no: string, detailCode: string | undefined) {
  return apiRefusal(403, {
    code: 'AUTH_ERROR',
    ...(detailCode !== undefined && { detailCode }),
    message: 'Forbidden',
    description: `No permission for the ad account (${no}).`,
  });
}
