import { usageOf } from './usage.ts';

const business = (minutes: number) => ({
  'x-business-use-case-usage': JSON.stringify({
    '1': [{ call_count: 100, estimated_time_to_regain_access: minutes }],
  }),
});

describe('usageOf', () => {
  it("takes the platform's estimate in minutes", () => {
    expect(usageOf(business(90))).toEqual({ percent: 100, regainMs: 90 * 60_000 });
  });

  it.each([1e9, 1e300])(
    'an estimate of %d minutes keeps nobody waiting for longer than a day',
    (minutes) => {
      expect(usageOf(business(minutes)).regainMs).toBe(24 * 3_600_000);
    },
  );
});
