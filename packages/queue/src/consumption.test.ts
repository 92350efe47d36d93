import { createConsumptionProbe } from './consumption.ts';

function open(size = 1) {
  const state = { now: 1_000_000, waiting: 0, down: false };
  const probe = createConsumptionProbe({
    queues: {
      waiting: async () => {
        if (state.down) throw new Error('away');
        return state.waiting;
      },
    },
    monotonicNow: () => state.now,
  });
  const slots = probe.slots('SOCIAL_ADS', 'fresh', size);
  const checkAfter = (seconds: number) => {
    state.now += seconds * 1000;
    return probe.check();
  };
  return { state, slots, checkAfter };
}

test('waiting turns of which none is started for a minute make it unhealthy, and one start healthy again', async () => {
  const { state, slots, checkAfter } = open();
  state.waiting = 1;
  expect((await checkAfter(0)).healthy).toBe(true);
  expect((await checkAfter(59)).healthy).toBe(true);
  expect(await checkAfter(1)).toEqual({ healthy: false, stuck: ['SOCIAL_ADS.fresh'] });
  slots.start();
  slots.end();
  expect((await checkAfter(10)).healthy).toBe(true);
});

test('a turn that comes after a long quiet time is no reason for alarm', async () => {
  const { state, checkAfter } = open();
  expect((await checkAfter(0)).healthy).toBe(true);
  state.waiting = 1;
  expect((await checkAfter(3_600)).healthy).toBe(true);
});

test('waiting turns while every slot is busy are no reason for alarm', async () => {
  const { state, slots, checkAfter } = open(2);
  state.waiting = 50;
  slots.start();
  slots.start();
  expect((await checkAfter(0)).healthy).toBe(true);
  expect((await checkAfter(3_600)).healthy).toBe(true);
  slots.end();
  expect((await checkAfter(1)).healthy).toBe(true);
  expect((await checkAfter(60)).healthy).toBe(false);
});

test('Redis being away proves nothing', async () => {
  const { state, checkAfter } = open();
  state.down = true;
  expect((await checkAfter(0)).healthy).toBe(true);
  expect((await checkAfter(600)).healthy).toBe(true);
});
