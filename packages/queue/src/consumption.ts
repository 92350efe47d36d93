import type { ChannelType, Lane } from '@tributary/shared';
import { type TurnQueues, turnQueueName } from './turn-queues.ts';

/** Whether turns are being taken. */
export interface Consumption {
  healthy: boolean;
  /** Queues with waiting turns and a free slot of this process, of which none was started for a minute. */
  stuck: string[];
}

/** Where the worker of one queue tells of its turns. */
export interface TurnSlots {
  start(): void;
  /** The handler has returned. */
  end(): void;
  /** Its end is written in Redis. */
  recorded(): void;
}

interface Slots {
  channel: ChannelType;
  lane: Lane;
  size: number;
  running: number;
  /** Turns that were started and whose end is not written. */
  unrecorded: number;
  /** Since when turns wait though a slot is free and nothing is started; undefined while all is well. */
  idleSince: number | undefined;
}

const STUCK_MS = 60_000;

/**
 * Proves consumption instead of connection: a worker can have a healthy connection and take nothing for ever.
 * While Redis itself does not answer nothing is proved, and starting anew would not help.
 */
export function createConsumptionProbe(deps: {
  queues: Pick<TurnQueues, 'waiting'>;
  monotonicNow: () => number;
}) {
  const lanes: Slots[] = [];
  return {
    slots(channel: ChannelType, lane: Lane, size: number): TurnSlots {
      const one: Slots = { channel, lane, size, running: 0, unrecorded: 0, idleSince: undefined };
      lanes.push(one);
      return {
        start() {
          one.running += 1;
          one.unrecorded += 1;
          one.idleSince = undefined;
        },
        end() {
          one.running -= 1;
        },
        recorded() {
          one.unrecorded -= 1;
        },
      };
    },
    running: () => lanes.reduce((sum, { running }) => sum + running, 0),
    /** Not exact after an outage: a turn whose lock was lost is never recorded here. */
    unrecorded: () => lanes.reduce((sum, { unrecorded }) => sum + unrecorded, 0),
    async check(): Promise<Consumption> {
      const now = deps.monotonicNow();
      await Promise.all(
        lanes.map(async (one) => {
          const waiting = await deps.queues.waiting(one.channel, one.lane).catch(() => 0);
          const idle = waiting > 0 && one.running < one.size;
          one.idleSince = idle ? (one.idleSince ?? now) : undefined;
        }),
      );
      const stuck = lanes
        .filter(({ idleSince }) => idleSince !== undefined && now - idleSince >= STUCK_MS)
        .map(({ channel, lane }) => turnQueueName(channel, lane));
      return { healthy: stuck.length === 0, stuck };
    },
  };
}
