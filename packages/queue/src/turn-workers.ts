import { setTimeout as wait } from 'node:timers/promises';
import { type ChannelType, LANES, type Lane, type TurnJob, TurnJobSchema } from '@tributary/shared';
import { type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Consumption, createConsumptionProbe, type TurnSlots } from './consumption.ts';
import type { QueueLogger } from './logger.ts';
import { isOutage } from './outages.ts';
import { within } from './timeout.ts';
import { type TurnQueues, turnQueueName } from './turn-queues.ts';
import { createTurnSignals, type TurnSignals } from './turn-signals.ts';

export interface TurnWorkersDeps {
  /** A worker connection; each queue adds a blocking one of its own. It stays open when the workers are closed. */
  connection: Redis;
  /** For the consumption probe. */
  queues: Pick<TurnQueues, 'waiting'>;
  prefix: string;
  channels: readonly ChannelType[];
  /** Turns at once per channel and lane in this process. */
  concurrency: Readonly<Record<Lane, number>>;
  /**
   * Does one turn; what it answers is kept with the job. The signal aborts, with an Error, when the process stops or the
   * turn's lock is lost.
   */
  handle: (job: TurnJob, signal: AbortSignal) => Promise<unknown>;
  /**
   * A turn is over and off its queue: the next of its account and lane can be enqueued. `done` is absent when it failed.
   * A rejection is logged.
   */
  ended?: (done?: { job: TurnJob; outcome: unknown }) => Promise<void>;
  logger: QueueLogger;
  /** How long a turn stays with a process that is gone, and how often that is looked for. Default: 30 s, 10 s. */
  lock?: { durationMs: number; stalledCheckMs: number };
  /** Milliseconds that only go forward; default: the process's own. */
  monotonicNow?: () => number;
}

export interface TurnWorkers {
  /** Turns running in this process. */
  running(): number;
  /** Proves that turns are being taken; ask every few seconds. */
  consumption(): Promise<Consumption>;
  /** Takes no more turns, aborts the running ones and waits for them, at most 25 s. */
  close(): Promise<void>;
}

const TURNS_END_MS = 18_000;
const RECORD_MS = 2_000;
const CLOSE_MS = 4_000;
const LOCK = { durationMs: 30_000, stalledCheckMs: 10_000 };
/**
 * Processes that may be gone under one turn before it is given up here and planned anew minutes later. High, as this count
 * knows no progress: turns that die without any are counted, and put to rest, in the database.
 */
const STALLED_MAX = 100;

/** Takes turns off their queues. Retries are no business of the queue: a failed turn is planned again. */
export function createTurnWorkers(deps: TurnWorkersDeps): TurnWorkers {
  const { channels, concurrency, logger, monotonicNow = () => performance.now() } = deps;
  const signals = createTurnSignals();
  const probe = createConsumptionProbe({ queues: deps.queues, monotonicNow });
  const workers: Worker[] = [];
  for (const channel of channels) {
    for (const lane of LANES) {
      const slots = probe.slots(channel, lane, concurrency[lane]);
      workers.push(openWorker(deps, { channel, lane, slots, signals }));
    }
  }
  let closed: Promise<void> | undefined;
  const close = async () => {
    for (const worker of workers) await worker.pause(true);
    signals.stop(new Error('The worker is stopping'));
    const ended = await waitUntil(() => probe.running() === 0, TURNS_END_MS);
    if (!ended) logger.error({ count: probe.running() }, 'Turns were left behind');
    // Their ends are written after the handlers return; what is not written by then is taken again as stalled.
    await waitUntil(() => probe.unrecorded() === 0, RECORD_MS);
    try {
      // Forced: an orderly close waits for the blocking read, which never ends when a connection was just cut.
      const done = Promise.all(workers.map((worker) => worker.close(true)));
      await within(done, CLOSE_MS, 'Closing');
    } catch (error) {
      logger.warn({ reason: String(error) }, 'The turn workers were not closed in order');
    }
  };
  return {
    running: () => probe.running(),
    consumption: () => probe.check(),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

async function waitUntil(holds: () => boolean, timeoutMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + timeoutMs;
  while (!holds() && performance.now() < giveUpAt) await wait(20);
  return holds();
}

interface Lanes {
  channel: ChannelType;
  lane: Lane;
  slots: TurnSlots;
  signals: TurnSignals;
}

function openWorker(deps: TurnWorkersDeps, { channel, lane, slots, signals }: Lanes): Worker {
  const { connection, prefix, concurrency, handle, logger, lock = LOCK } = deps;
  const name = turnQueueName(channel, lane);
  const take = async (job: Job, _token: string | undefined, lockLost?: AbortSignal) => {
    slots.start();
    const turn = signals.begin(lockLost);
    try {
      return await handle(parseTurn(job), turn.signal);
    } catch (error) {
      throw asError(error);
    } finally {
      turn.release();
      slots.end();
    }
  };
  const worker = new Worker(name, take, {
    connection,
    prefix,
    concurrency: concurrency[lane],
    lockDuration: lock.durationMs,
    stalledInterval: lock.stalledCheckMs,
    maxStalledCount: STALLED_MAX,
    skipVersionCheck: true,
  });
  worker.on('error', (error) => {
    // Of an outage the connection tells, once.
    if (isOutage(error)) return;
    logger.warn({ queue: name, reason: error.message }, 'Turn worker trouble');
  });
  const tell = (done?: { job: TurnJob; outcome: unknown }) => {
    slots.recorded();
    deps.ended?.(done).catch((error: unknown) => {
      logger.error({ queue: name, reason: String(error) }, 'What follows a turn failed');
    });
  };
  worker.on('completed', (job, outcome: unknown) => tell({ job: parseTurn(job), outcome }));
  worker.on('failed', (job, error) => {
    tell();
    logger.error({ queue: name, job: job?.id, reason: error.message }, 'A turn failed');
  });
  // Another process may have the turn by now; this one has nothing more to write.
  worker.on('lockRenewalFailed', (jobs) => {
    for (const id of jobs) worker.cancelJob(id, 'lock lost');
  });
  return worker;
}

function parseTurn(job: Job): TurnJob {
  const parsed = TurnJobSchema.safeParse(job.data);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue?.path.join('.') || 'the job';
  throw new Error(`Unknown turn in job ${job.id}: ${place}: ${issue?.message}`);
}

/**
 * What a turn threw, as an Error. BullMQ leaves a job that throws undefined active until it stalls, and keeps no reason
 * of a thrown text.
 */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const text = typeof thrown === 'string' ? `'${thrown}'` : `a value of type ${typeof thrown}`;
  return new Error(`A turn threw ${text} instead of an Error`, { cause: thrown });
}
