import type { Cell, Cells, Day, Millis, PlanAccount, Wish } from './account.ts';
import { CHANNELS } from './channels.ts';
import { eachDay } from './days.ts';
import { createCalendar } from './due.ts';
import { laneOf } from './plan.ts';

/** A cell that was tried after it was asked for and gave nothing yet. */
export interface FailedCell extends Pick<Cell, 'code' | 'detail' | 'retryAt'> {
  source: string;
  day: Day;
}

/** How far a wish is fulfilled for one account, counted in cells. */
export interface WishProgress {
  /** Cells that had to be there when it was asked, less those that the platform no longer answers for. */
  planned: number;
  /** Fetched since it was asked. */
  done: number;
  /** The newest day first. Neither here nor done: not tried yet, or the platform's report is under way. */
  failed: FailedCell[];
  /** When the first of the cells that are not done may be tried; Infinity = all are done. May lie in the past. */
  nextAt: Millis;
}

/**
 * What became of a wish, from coverage alone: nothing has to be counted while it is fulfilled, and whoever fetched a cell
 * for whatever reason, it is fetched.
 */
export function wishProgress({
  account,
  cells,
  wish,
  now,
  stretch = 1,
}: {
  account: PlanAccount;
  cells: Cells;
  wish: Wish;
  now: Millis;
  /** As the account is planned with. */
  stretch?: number;
}): WishProgress {
  const asked = createCalendar({ account, now: wish.at, stretch });
  const calendar = createCalendar({ account, now, stretch, wanted: [wish] });
  const progress: WishProgress = { planned: 0, done: 0, failed: [], nextAt: Infinity };
  for (const day of eachDay(wish.from, wish.to).toReversed()) {
    for (const source of CHANNELS[account.channel].sources) {
      if (!asked.isWanted(source, day)) continue;
      const cell = cells.get(day)?.get(source.id);
      if (cell?.fetchedAt !== undefined && cell.fetchedAt >= wish.at) {
        progress.planned += 1;
        progress.done += 1;
        continue;
      }
      const dueAt = calendar.dueAt(source, day, cell);
      if (dueAt === Infinity) continue;
      progress.planned += 1;
      const until = account.until[laneOf(calendar, { source, day, cell })] ?? 0;
      progress.nextAt = Math.min(progress.nextAt, Math.max(dueAt, until));
      const isFailed = cell?.state === 'failed' || cell?.state === 'suspect';
      if (isFailed && cell.triedAt >= wish.at) {
        const { code, detail, retryAt } = cell;
        progress.failed.push({
          source: source.id,
          day,
          ...(code !== undefined && { code }),
          ...(detail !== undefined && { detail }),
          ...(retryAt !== undefined && { retryAt }),
        });
      }
    }
  }
  return progress;
}
