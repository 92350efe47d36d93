import type { Figures } from '@tributary/shared';
import { readFigures, storeFigures } from './stat-days.ts';

const LARGEST = 2n ** 63n - 1n;
const figures = (spend: bigint): Figures => [1, 2, null, 0, spend, null, 3];

describe('storeFigures', () => {
  it.each([2n ** 53n, LARGEST, -LARGEST])('keeps %d to the unit', (spend) => {
    expect(readFigures(storeFigures(figures(spend)))).toEqual(figures(spend));
  });

  it.each([LARGEST + 1n, 10n ** 20n, -LARGEST - 2n])(
    'refuses %d, which no field of 64 bits holds',
    (spend) => {
      expect(() => storeFigures(figures(spend))).toThrow(`'${spend}'`);
    },
  );
});
