import {
  type Account,
  type Coverage,
  type Database,
  planAccountOf,
  readCoverage,
} from '@tributary/database';
import {
  addDays,
  dayAt,
  isOpen,
  LANES,
  type Lane,
  type Millis,
  type Plan,
  plan,
} from '@tributary/shared';

const TREE_EVERY_MS = 6 * 60 * 60_000;

/** What is to be done for an account, with what it was computed from. */
export interface AccountPlan extends Plan {
  coverage: Coverage;
  /** The entity tree is to be read. */
  tree: boolean;
}

/**
 * Reads what is stored of an account and plans it; of one that is no longer open only what is to be sealed. A turn under way seals what it collects itself, once a level's days are
 * complete: before that they would be served half new and half old for a moment.
 *
 * @param lane the lane of the turn that asks, whose own work is not under way elsewhere
 */
export async function planAccount(
  db: Database,
  account: Account,
  now: Millis,
  lane?: Lane,
): Promise<AccountPlan> {
  const planned = planAccountOf(account);
  const tomorrow = addDays(dayAt(now, account.zone), 1);
  const coverage = await readCoverage(db, account._id, planned.historyFrom, tomorrow);
  const { cells, sealed } = coverage;
  const found = plan({
    now,
    account: planned,
    cells,
    sealed,
    wanted: account.wanted,
    ...(!isOpen(account.status) && { sources: [] }),
  });
  const treeAt = treeDueAt(account);
  const others = LANES.filter((one) => one !== lane).map((one) => account.lane[one].busyUntil);
  const sealAt = found.seal.length > 0 ? Math.max(...others) : 0;
  const later = [treeAt, sealAt].filter((at) => at > now);
  return {
    ...found,
    coverage,
    seal: sealAt > now ? [] : found.seal,
    tree: treeAt <= now,
    nextAt: Math.min(found.nextAt, ...later),
  };
}

/** The tree is a source too: read before anything else, then every six hours. */
function treeDueAt({ tree, lane, status }: Account): Millis {
  if (!isOpen(status)) return Infinity;
  const slot = tree.fetchedAt === undefined ? 0 : tree.fetchedAt + TREE_EVERY_MS;
  return Math.max(slot, tree.retryAt ?? 0, lane.fresh.quiet?.until ?? 0);
}
