import { type Account, type Coverage, saveUpstreamChanges } from '@tributary/database';
import { CHANNELS, type UpstreamChange, upstreamChanges, upstreamKind } from '@tributary/shared';
import type { WorkerDeps } from './deps.ts';

/** Looks for what an account's platform no longer gives; what is new is told once, what is back once. */
export async function noteUpstreamChanges(
  { db, logger, metrics }: Pick<WorkerDeps, 'db' | 'logger' | 'metrics'>,
  account: Account,
  { cells, sealed }: Coverage,
): Promise<void> {
  const { channel, zone } = account;
  const known = account.upstream?.changes ?? [];
  const found = upstreamChanges({ channel: CHANNELS[channel], zone, cells, sealed });
  if (JSON.stringify(known) === JSON.stringify(found)) return;
  if (!(await saveUpstreamChanges(db, account, found))) return;
  for (const change of without(found, known)) {
    const { source, part, metric, since: from } = change;
    metrics.upstreamChanges.inc({ channel, source, kind: upstreamKind(change) });
    logger.warn(
      { account: account._id, source, part, metric, from },
      'The platform no longer gives what it gave for the whole account',
    );
  }
  for (const { source, part, metric } of without(known, found)) {
    logger.info({ account: account._id, source, part, metric }, 'The platform gives it again');
  }
}

function without(changes: readonly UpstreamChange[], others: readonly UpstreamChange[]) {
  const names = new Set(others.map(nameOf));
  return changes.filter((change) => !names.has(nameOf(change)));
}

function nameOf({ source, part, metric }: UpstreamChange): string {
  return [source, part, metric].join(' ');
}
