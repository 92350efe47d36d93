import {
  type Account,
  countEntities,
  entityKey,
  listAccounts,
  removeMissing,
  saveTreeState,
  setLinkStatus,
  upsertEntities,
} from '@tributary/database';
import { CHANNELS, isOpen } from '@tributary/shared';
import type { WorkerDeps } from './deps.ts';
import type { OpenLink } from './link-access.ts';

/**
 * Reads an account's campaigns, ad groups and ads and stores what differs. What vanished stays, as `removed`. When every
 * account of the link has its tree, the link is Completed.
 */
export async function readTree(
  { db, clock }: WorkerDeps,
  { link, connector, access }: OpenLink,
  { account, signal }: { account: Account; signal: AbortSignal },
): Promise<void> {
  const now = clock.now();
  const seen = new Set([entityKey(link._id, 'a', account.account)]);
  const pages = connector.listEntities({ ...access, signal, account: { id: account.account } });
  for await (const entities of pages) {
    await upsertEntities(db, {
      tenant: link.tenant,
      link: link._id,
      account: account._id,
      entities,
      now,
    });
    for (const { level, id } of entities) seen.add(entityKey(link._id, level, id));
  }
  await removeMissing(db, { account: account._id, seen, now });
  const entities = await countEntities(db, account._id);
  const tree = { fetchedAt: now };
  await saveTreeState(db, account._id, { tree, entities });
  await completeLink({ db, clock }, link);
}

/** A blog without a feed has nothing to show before its first import. */
function awaitsImport({ channel, withoutFeed, importedAt }: Account): boolean {
  return CHANNELS[channel].kind === 'blog' && withoutFeed === true && importedAt === undefined;
}

/** A link is Completed once every open account has its tree. */
export async function completeLink(
  { db, clock }: Pick<WorkerDeps, 'db' | 'clock'>,
  link: OpenLink['link'],
): Promise<void> {
  if (link.status === 'Completed') return;
  const open = (await listAccounts(db, link._id)).filter(({ status }) => isOpen(status));
  if (open.some((account) => account.tree.fetchedAt === undefined || awaitsImport(account))) return;
  const { gen } = link;
  const now = clock.now();
  await setLinkStatus(db, link._id, { status: 'Completed', reason: null, gen, now });
}
