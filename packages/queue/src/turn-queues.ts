import { RetryableError } from '@tributary/runtime';
import {
  CHANNEL_TYPES,
  type ChannelType,
  LANES,
  type Lane,
  type TurnJob,
  TurnJobSchema,
} from '@tributary/shared';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { QueueLogger } from './logger.ts';
import { isOutage } from './outages.ts';
import { within } from './timeout.ts';

export interface TurnQueuesDeps {
  /** A producer connection; it stays open when the queues are closed. */
  connection: Redis;
  /** Before every key in Redis. */
  prefix: string;
  channels?: readonly ChannelType[];
  logger: QueueLogger;
}

/** How many turns of a queue are in each state. */
export interface TurnCounts {
  waiting: number;
  active: number;
  completed: number;
  failed: number;
}

export interface TurnQueues {
  /**
   * Puts a turn into its lane; while one of the same account and lane waits or runs, it does nothing.
   *
   * @throws RetryableError `queue_unavailable` within two seconds when Redis does not answer
   */
  enqueue(channel: ChannelType, job: TurnJob): Promise<void>;
  /** By queue name, for metrics. */
  jobCounts(): Promise<Map<string, TurnCounts>>;
  /** Turns that could be taken now: 0 while the queue is paused by hand. */
  waiting(channel: ChannelType, lane: Lane): Promise<number>;
  /** Every queue, for the dashboard. */
  all(): Queue[];
  close(): Promise<void>;
}

const ANSWER_MS = 2_000;
const KEPT_JOBS = 1_000;
const KEPT_FAILED_SECONDS = 7 * 86_400;

/** The queue's name, without ':', which BullMQ keeps for its keys. */
export function turnQueueName(channel: ChannelType, lane: Lane): string {
  return `${channel}.${lane}`;
}

/** The queues of turns: what is to be done now. What should be stored at all is planned from the database. */
export function createTurnQueues(deps: TurnQueuesDeps): TurnQueues {
  const { connection, prefix, channels = CHANNEL_TYPES, logger } = deps;
  const queues = new Map<string, Queue>();
  for (const channel of channels) {
    for (const lane of LANES) queues.set(turnQueueName(channel, lane), openQueue(channel, lane));
  }

  function openQueue(channel: ChannelType, lane: Lane): Queue {
    const name = turnQueueName(channel, lane);
    const queue = new Queue(name, { connection, prefix, skipVersionCheck: true });
    queue.on('error', (error) => {
      // Of an outage the connection tells, once.
      if (isOutage(error)) return;
      logger.warn({ queue: name, reason: error.message }, 'Turn queue trouble');
    });
    return queue;
  }
  const queueOf = (channel: ChannelType, lane: Lane) => {
    const queue = queues.get(turnQueueName(channel, lane));
    if (!queue) throw new RangeError(`No queue for '${channel}' in lane '${lane}'`);
    return queue;
  };

  return {
    async enqueue(channel, job) {
      const turn = TurnJobSchema.parse(job);
      const queue = queueOf(channel, turn.lane);
      const added = queue.add('turn', turn, {
        attempts: 1,
        deduplication: { id: `${turn.account}.${turn.lane}` },
        removeOnComplete: { count: KEPT_JOBS },
        removeOnFail: { count: KEPT_JOBS, age: KEPT_FAILED_SECONDS },
      });
      await answered(added, 'Enqueuing a turn');
    },
    async jobCounts() {
      const counts = [...queues].map(
        async ([name, queue]) => [name, await countsOf(queue)] as const,
      );
      return new Map(await answered(Promise.all(counts), 'Counting turns'));
    },
    async waiting(channel, lane) {
      const queue = queueOf(channel, lane);
      const counted = Promise.all([queue.isPaused(), queue.getWaitingCount()]);
      const [paused, count] = await answered(counted, 'Counting waiting turns');
      return paused ? 0 : count;
    },
    all: () => [...queues.values()],
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

async function countsOf(queue: Queue): Promise<TurnCounts> {
  const counts = await queue.getJobCounts('waiting', 'active', 'completed', 'failed');
  const { waiting = 0, active = 0, completed = 0, failed = 0 } = counts;
  return { waiting, active, completed, failed };
}

async function answered<T>(promise: Promise<T>, what: string): Promise<T> {
  try {
    return await within(promise, ANSWER_MS, what);
  } catch (cause) {
    throw new RetryableError('queue_unavailable', `${what} failed: Redis does not answer`, {
      cause,
    });
  }
}
