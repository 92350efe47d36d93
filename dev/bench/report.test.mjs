import { boundLine, comparisonLines } from './report.mjs';

/** @param {number} factor how slow the machine is in a round */
const round = (factor) => ({
  'ours gzip': 2 * factor,
  'naive gzip': 50 * factor,
  'floor gzip': factor,
});

describe('comparisonLines', () => {
  it('takes ratios inside a round, so a machine that changes its speed changes none', () => {
    const lines = comparisonLines([round(100), round(1000), round(300)]);
    expect(lines).toContainEqual(
      expect.stringMatching(/^ours gzip +25\.00 x cheaper than naive gzip .*aim 20: met$/),
    );
  });

  it('says which aim is missed', () => {
    const lines = comparisonLines([round(1)]);
    expect(lines).toContainEqual(
      expect.stringMatching(/^ours gzip +0\.50 x of the rate of floor gzip .*aim 0\.7: MISSED$/),
    );
  });

  it('leaves out what was not measured', () => {
    expect(comparisonLines([round(1)]).join('\n')).not.toContain('NaN');
  });
});

describe('boundLine', () => {
  it.each([
    [10, 'met'],
    [10.1, 'MISSED'],
  ])('of %d against 10 says %s', (value, verdict) => {
    expect(boundLine('Pause', value, { atMost: 10, text: 'ms' })).toBe(
      `Pause: ms, aim at most 10: ${verdict}`,
    );
  });
});
