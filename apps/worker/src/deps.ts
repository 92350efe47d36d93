import type { Connector } from '@tributary/connectors';
import type { Database } from '@tributary/database';
import type { TokenLocks, TurnQueues } from '@tributary/queue';
import type { Clock, CredentialBox, Logger } from '@tributary/runtime';
import type { ChannelType } from '@tributary/shared';
import type { WorkerMetrics } from './metrics.ts';
import type { RowGate } from './row-gate.ts';

/** What the worker's parts are given; made in main.ts alone. */
export interface WorkerDeps {
  db: Database;
  box: CredentialBox;
  connectors: Partial<Record<ChannelType, Connector>>;
  queues: Pick<TurnQueues, 'enqueue'>;
  tokenLocks: TokenLocks;
  clock: Clock;
  logger: Logger;
  metrics: WorkerMetrics;
  gate: RowGate;
  random: () => number;
}
