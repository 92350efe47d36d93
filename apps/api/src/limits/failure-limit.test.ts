import { createFailureLimit } from './failure-limit.ts';

describe('createFailureLimit', () => {
  it('allows so many failures of an address in a minute, each address apart', () => {
    let now = 0;
    const fail = createFailureLimit({ perMinute: 3, monotonic: () => now });
    expect([1, 2, 3, 4].map(() => fail('a').isAllowed)).toEqual([true, true, true, false]);
    expect(fail('b')).toMatchObject({ isAllowed: true, remaining: 2 });
    now = 59_500;
    expect(fail('a')).toMatchObject({ isAllowed: false, remaining: 0, resetSeconds: 1 });
    now = 60_000;
    expect(fail('a')).toMatchObject({ isAllowed: true, remaining: 2, resetSeconds: 60 });
  });

  it('keeps the addresses that failed last, however many there are', () => {
    const fail = createFailureLimit({ perMinute: 1, monotonic: () => 0 });
    fail('first');
    for (let address = 0; address < 9_999; address += 1) fail(String(address));
    expect(fail('first').isAllowed).toBe(false);
    for (let address = 0; address < 10_000; address += 1) fail(`more ${address}`);
    expect(fail('first').isAllowed).toBe(true);
  });
});
