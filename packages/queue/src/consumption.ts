import type { ChannelType, Lane } from '@tributary/shared';
import { type TurnQueues, turnQueueName } from './turn-queues.ts';

/** Whether turns are being taken. */
export interface Consumption {
  healthy: boolean;
  /** Queues with waiting turns and a free slot of this process, of which none was started for a minute. */
  stuck: string[];
}

interface Slots {
  channel: ChannelType;
  lane: Lane;
  size: number;
  running: number;
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
    /** Where one queue's worker tells of its turns. */
    slots(channel: ChannelType, lane: Lane, size: number) {
      const one: Slots = { channel, lane, size, running: 0, idleSince: undefined };
      lanes.push(one);
      return {
        start() {
          one.running += 1;
          one.idleSince = undefined;
        },
        end() {
          one.running -= 1;
        },
      };
    },
    running: () => lanes.reduce((sum, { running }) => sum + running, 0),
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
