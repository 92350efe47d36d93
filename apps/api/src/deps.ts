import type { Database } from '@tributary/database';
import type { Clock, CredentialBox, Logger } from '@tributary/runtime';
import type { ChannelType } from '@tributary/shared';
import type { StatisticsCaches } from './statistics/caches.ts';

/** One request of a route, answered. */
export interface Answered {
  method: string;
  /** The route's path, never the client's. */
  path: string;
  status: number;
  seconds: number;
}

/** What handlers work with. */
export interface Deps {
  db: Database;
  box: CredentialBox;
  clock: Clock;
  logger: Logger;
  caches: StatisticsCaches;
  /** Channels whose connector is built; links of others are not yet available. */
  builtChannels: readonly ChannelType[];
  /** Told of every answer, for metrics. */
  onAnswered(answered: Answered): void;
}
