import { setImmediate as settled } from 'node:timers/promises';
import { createGate } from './gate.ts';

describe('createGate', () => {
  it('lets so much be under way at once, first come, first served, whatever becomes of it', async () => {
    const gate = createGate(2);
    const begun: number[] = [];
    const ends: { resolve: (value: number) => void; reject: (error: Error) => void }[] = [];
    const works = Array.from({ length: 4 }, (_, index) =>
      gate(() => {
        begun.push(index);
        return new Promise<number>((resolve, reject) => ends.push({ resolve, reject }));
      }),
    );
    const outcomes = Promise.allSettled(works);
    await settled();
    expect(begun).toEqual([0, 1]);
    ends[1]?.reject(new Error('broken'));
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    ends[0]?.resolve(10);
    await settled();
    expect(begun).toEqual([0, 1, 2, 3]);
    ends[2]?.resolve(12);
    ends[3]?.resolve(13);
    expect((await outcomes).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await Promise.all([works[0], works[2], works[3]])).toEqual([10, 12, 13]);
    expect(await gate(async () => 'next')).toBe('next');
  });
});
