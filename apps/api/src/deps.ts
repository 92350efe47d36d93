import type { Database } from '@tributary/database';
import type { Clock, CredentialBox, Logger } from '@tributary/runtime';
import type { ChannelType } from '@tributary/shared';
import type { StatisticsCaches } from './statistics/caches.ts';

/** What handlers work with. */
export interface Deps {
  db: Database;
  box: CredentialBox;
  clock: Clock;
  logger: Logger;
  caches: StatisticsCaches;
  /** Channels whose connector is built; links of others are not yet available. */
  builtChannels: readonly ChannelType[];
}
