import type { Cell, Cells, Day, Millis, PlanAccount } from './account.ts';
import { CHANNELS } from './channels.ts';
import { createCalendar } from './due.ts';

/** Enough to act on; the cells keep all of it. */
const DETAIL_MAX = 300;

/** A source whose newest attempts gave nothing. */
export interface FailingSource {
  source: string;
  /** Why the newest of them did: a stable word and a sentence. */
  code: string;
  detail: string;
  /** How many days wait for it, the first and the last of them. */
  cells: number;
  from: Day;
  to: Day;
  /** The earliest next attempt. */
  retryAt?: Millis;
}

export interface FailingInput {
  account: PlanAccount;
  cells: Cells;
  now: Millis;
}

/**
 * What fails now of an account, by source. A report under way is no failure, and neither is what will never be tried again
 * because the platform no longer answers for the day.
 */
export function failingSources({ account, cells, now }: FailingInput): FailingSource[] {
  const calendar = createCalendar({ account, now });
  const found = new Map<string, { failing: FailingSource; newest: Cell }>();
  for (const day of [...cells.keys()].sort()) {
    for (const planned of CHANNELS[account.channel].sources) {
      const source = planned.id;
      const cell = cells.get(day)?.get(source);
      if (cell?.state !== 'failed' && cell?.state !== 'suspect') continue;
      if (calendar.dueAt(planned, day, cell) === Infinity) continue;
      const known = found.get(source);
      const newest = known && known.newest.triedAt > cell.triedAt ? known.newest : cell;
      const retries = [known?.failing.retryAt, cell.retryAt].filter((at) => at !== undefined);
      const failing: FailingSource = {
        source,
        code: newest.code ?? newest.state,
        detail: shortDetail(newest.detail ?? ''),
        cells: (known?.failing.cells ?? 0) + 1,
        from: known?.failing.from ?? day,
        to: day,
        ...(retries.length > 0 && { retryAt: Math.min(...retries) }),
      };
      found.set(source, { failing, newest });
    }
  }
  return [...found.values()]
    .map(({ failing }) => failing)
    .sort((a, b) => (a.source < b.source ? -1 : 1));
}

/** The beginning of a sentence that may be of any length. */
export function shortDetail(text: string): string {
  return text.length > DETAIL_MAX ? `${text.slice(0, DETAIL_MAX - 1)}…` : text;
}
