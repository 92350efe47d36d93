import { createTurnWorkers, type Epoch, type TurnQueues } from '@tributary/queue';
import type { Releasers } from '@tributary/runtime';
import type { ChannelType, Lane } from '@tributary/shared';
import { schedule } from 'node-cron';
import type { WorkerDeps } from './deps.ts';
import { purgeDeletedLinks, purgeOldChanges } from './purge.ts';
import { runTurn } from './turn.ts';
import { createWaker } from './wake.ts';

/** When the process does something by itself; in UTC, as some zones' clocks skip and repeat hours. */
const SCHEDULE = { wake: '* * * * * *', purge: '30 * * * * *' } as const;

export interface WorkerOptions {
  deps: WorkerDeps & { epoch: Epoch; queues: TurnQueues };
  connection: Parameters<typeof createTurnWorkers>[0]['connection'];
  prefix: string;
  concurrency: Readonly<Record<Lane, number>>;
  lock: NonNullable<Parameters<typeof createTurnWorkers>[0]['lock']>;
  releasers: Releasers;
}

export type Worker = Pick<ReturnType<typeof createTurnWorkers>, 'consumption' | 'running'>;

/** Starts taking turns and waking accounts; everything it opens is registered with the releasers. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { deps, connection, prefix, concurrency, lock, releasers } = options;
  const { logger, queues } = deps;
  const waker = createWaker(deps);
  const stopping = new AbortController();
  const workers = createTurnWorkers({
    connection,
    queues,
    prefix,
    channels: Object.keys(deps.connectors) as ChannelType[], // the connectors' keys are channel types
    concurrency,
    handle: (job, signal) => runTurn(deps, job, signal),
    ended: (done) => waker.wake(done?.outcome === 'more' ? done.job.account : undefined),
    lock,
    logger,
  });
  releasers.add('turn workers', () => workers.close());
  // Before the turns are ended: what they leave is planned by another process, or at the next start.
  releasers.add('waker', () => waker.close());
  const utc = { timezone: 'UTC', noOverlap: true } as const;
  const tasks = [
    schedule(SCHEDULE.wake, () => waker.wake(), { ...utc, name: 'wake' }),
    schedule(
      SCHEDULE.purge,
      () =>
        purgeDeletedLinks(deps, stopping.signal)
          .then(() => purgeOldChanges(deps))
          .catch((err: unknown) => logger.error({ err }, 'Purging failed')),
      { ...utc, name: 'purge' },
    ),
  ];
  releasers.add('schedule', async () => {
    stopping.abort();
    for (const task of tasks) await task.destroy();
  });
  await waker.wake();
  return workers;
}
