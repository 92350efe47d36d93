import {
  type FailedCell,
  isOpen,
  type Millis,
  type Wish,
  type WishProgress,
  wishProgress,
} from '@tributary/shared';
import { type Account, listAccountsOf, planAccountOf } from './accounts.ts';
import { readCoverage } from './coverage.ts';
import type { Database } from './database.ts';
import { inSlices } from './in-slices.ts';
import { type AuthorizedLink, findLinks, isOpenLink } from './links.ts';
import type { RefreshRun } from './runs.ts';

const FAILURES_SHOWN_MAX = 100;

/** A cell of a run that was tried since and gave nothing. */
export interface RunFailure extends FailedCell {
  link: string;
  /** The platform's id. */
  account: string;
}

/** How far a run is. Counts are cells: account, day, source. */
export interface RunProgress {
  /** Those of its links that are not deleted. */
  links: AuthorizedLink[];
  planned: number;
  done: number;
  failed: number;
  /** At most 100 of what failed. */
  failures: RunFailure[];
  /** Whole percent, rounded down; 100 only when all is done and every link's accounts are known. */
  percent: number;
  /** When the first cell that is not done may be tried; undefined when none is left, or all wait for a person. */
  nextAt: Millis | undefined;
  /** Nothing was tried yet since it was asked, and every link can be read: asking again would change nothing. */
  isUntouched: boolean;
}

/** How far a run is at a moment, from what is stored. */
export async function readRunProgress(
  db: Database,
  { tenant, askedAt, links: asked, from, to }: RefreshRun,
  now: Millis,
): Promise<RunProgress> {
  const links = await findLinks(db, tenant, asked);
  const targets = await listAccountsOf(
    db,
    tenant,
    links.map(({ _id }) => _id),
  );
  const wish: Wish = { from, to, at: askedAt };
  const open = targets.filter(({ status }) => isOpen(status)); // nothing is read of the others
  const parts = await inSlices(open, (account) => readPart(db, account, { wish, now }));
  const sum = (count: (part: AccountPart) => number) =>
    parts.reduce((total, part) => total + count(part), 0);
  const planned = sum((part) => part.planned);
  const done = sum((part) => part.done);
  const worked = new Set(links.filter(isOpenLink).map(({ _id }) => _id));
  const workedParts = parts.filter(({ link }) => worked.has(link));
  const nextAt = Math.min(...workedParts.map((part) => part.nextAt));
  const listed = new Set(targets.map(({ link }) => link));
  const isListed = links.every(({ _id }) => listed.has(_id));
  const failed = sum((part) => part.failed);
  return {
    links,
    planned,
    done,
    failed,
    failures: parts.flatMap(({ failures }) => failures).slice(0, FAILURES_SHOWN_MAX),
    percent:
      isListed && done === planned
        ? 100
        : Math.min(99, Math.floor((100 * done) / Math.max(1, planned))),
    nextAt: nextAt === Infinity ? undefined : Math.max(now, nextAt),
    isUntouched: planned > 0 && done + failed === 0 && isListed && worked.size === links.length,
  };
}

type AccountPart = Pick<RunProgress, 'planned' | 'done' | 'failed' | 'failures'> &
  Pick<WishProgress, 'nextAt'> & { link: string };

/** What became of a run's wish for one account. */
async function readPart(
  db: Database,
  stored: Account,
  { wish, now }: { wish: Wish; now: Millis },
): Promise<AccountPart> {
  const { cells } = await readCoverage(db, stored._id, wish.from, wish.to);
  const { failed, ...counts } = wishProgress({
    account: planAccountOf(stored),
    cells,
    wish,
    now,
  });
  const { link, account } = stored;
  const shown = failed.slice(0, FAILURES_SHOWN_MAX);
  const failures = shown.map((cell) => ({ link, account, ...cell }));
  return { link, ...counts, failed: failed.length, failures };
}
