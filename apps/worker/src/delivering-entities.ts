import { addUnknownEntities } from '@tributary/database';
import type { Entity, Level, ObservationRow, Observed } from '@tributary/shared';
import type { TurnContext } from './collect-window.ts';
import type { WorkerDeps } from './deps.ts';

/** The entities that the totals of a window tell of. */
export interface DeliveringEntities {
  note(observed: readonly Observed[]): void;
  /** Stores those that no reading of the tree has brought: their figures are served under their id. */
  store(): Promise<void>;
}

const DEPTH = { a: 0, c: 1, g: 2, d: 3 } as const satisfies Record<Level, number>;
const BELOW_ACCOUNT = ['c', 'g', 'd'] as const;

/**
 * Platforms stop listing what was removed, and list what is new later than they count it. Both deliver, so both must be
 * found by their id. The next reading of the tree gives them a title, or calls them removed.
 */
export function createDeliveringEntities(
  { db, clock, logger }: Pick<WorkerDeps, 'db' | 'clock' | 'logger'>,
  { account }: Pick<TurnContext, 'account'>,
): DeliveringEntities {
  const found = new Map<string, Entity>();
  const noteRow = (row: ObservationRow, depth: number) => {
    let parent = account.account;
    for (const [index, level] of BELOW_ACCOUNT.slice(0, depth).entries()) {
      const id = row[index as 0 | 1 | 2]; // the three ids come first
      if (id === '') continue; // the platform does not tell what it belongs to
      const key = `${level} ${id}`;
      if (!found.has(key)) found.set(key, { level, id, parent, title: id, status: 'unknown' });
      parent = id;
    }
  };
  return {
    note(observed) {
      for (const { set, rows } of observed) {
        if (!set.endsWith('-base')) continue;
        const depth = DEPTH[set.slice(0, 1) as Level]; // a set begins with its level
        for (const row of rows as readonly ObservationRow[]) noteRow(row, depth);
      }
    },
    async store() {
      if (found.size === 0) return;
      const { tenant, link, _id } = account;
      const page = { tenant, link, account: _id, entities: [...found.values()], now: clock.now() };
      const count = await addUnknownEntities(db, page);
      if (count > 0) logger.info({ account: _id, count }, 'Entities beside the tree were stored');
    },
  };
}
