import type { UpstreamChange } from '@tributary/shared';
import { type Account, accounts } from './accounts.ts';
import type { Database } from './database.ts';

/** What an account's platform no longer gives. */
export interface UpstreamState {
  /** Counts the findings, so that of two at once one is stored and told. */
  n: number;
  changes: UpstreamChange[];
}

/**
 * Replaces what is known of changes of the account's platform.
 *
 * @returns false when somebody stored a finding since the account was read
 */
export async function saveUpstreamChanges(
  db: Database,
  { _id, upstream }: Account,
  changes: readonly UpstreamChange[],
): Promise<boolean> {
  const asRead = upstream ? { 'upstream.n': upstream.n } : { upstream: { $exists: false } };
  const next: UpstreamState = { n: (upstream?.n ?? 0) + 1, changes: [...changes] };
  const { matchedCount } = await accounts(db).updateOne(
    { _id, ...asRead },
    { $set: { upstream: next } },
  );
  return matchedCount === 1;
}
