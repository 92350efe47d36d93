import {
  type Account,
  type AuthorizedLink,
  findAccount,
  findEntity,
  listAccounts,
} from '@tributary/database';
import { LEVEL_WORDS, type Level } from '@tributary/shared';
import type { Deps } from '../deps.ts';
import { ProblemError } from '../http/problem.ts';
import { quote } from '../http/quote.ts';

/** Whose figures a request means. */
export interface Place {
  account: Account;
  /** The platform's id of the entity; of level ad account, the account's own. */
  entity: string;
}

/**
 * Finds what `value` names at a level of a link.
 *
 * @param early the account, where {@link readKnownAccount} has just read it
 * @throws ProblemError `entity_not_found` when it is unknown or of another level
 */
export async function findPlace(
  { db, caches }: Pick<Deps, 'db' | 'caches'>,
  link: AuthorizedLink,
  level: Level,
  value: string,
  early?: Account,
): Promise<Place> {
  const key = `${link._id} ${level} ${value}`;
  const known = caches.places.get(key);
  const found = known ?? (await lookUp(db, link, level, value));
  const account = early ?? (found && (await findAccount(db, found.account)));
  if (!found || !account) {
    const message = `Link ${quote(link._id)} has no ${LEVEL_WORDS[level]} ${quote(value)}`;
    throw new ProblemError('entity_not_found', message);
  }
  if (!known) caches.places.set(key, found);
  return { account, entity: found.entity || account.account };
}

/**
 * The account of a value that was found before, for reading it beside the link: the link still decides whether it may be
 * used.
 */
export async function readKnownAccount(
  { db, caches }: Pick<Deps, 'db' | 'caches'>,
  linkId: string,
  level: Level,
  value: string,
): Promise<Account | undefined> {
  const known = caches.places.get(`${linkId} ${level} ${value}`);
  return known && (await findAccount(db, known.account));
}

async function lookUp(db: Deps['db'], link: AuthorizedLink, level: Level, value: string) {
  if (level !== 'a') {
    const entity = await findEntity(db, link, level, value);
    return entity && { account: entity.account, entity: entity.id };
  }
  const wanted = bareAccountId(value);
  const accounts = await listAccounts(db, link._id);
  const named = accounts.find(({ account }) => bareAccountId(account) === wanted);
  if (named) return { account: named._id, entity: named.account };
  // The interface calls this value a campaign id: the account that owns the campaign is meant.
  const campaign = await findEntity(db, link, 'c', value);
  return campaign && { account: campaign.account, entity: '' };
}

/** Platforms write account ids with and without `act_`, with and without dashes. */
function bareAccountId(id: string): string {
  return id.replace(/^act_/, '').replaceAll('-', '');
}
