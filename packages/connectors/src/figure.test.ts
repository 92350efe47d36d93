import { countFromText, microsFromDecimal } from '@tributary/shared';
import { figureOf } from './figure.ts';

test.each([
  [countFromText, '0', 0],
  [countFromText, 12, 12],
  [countFromText, '9007199254740993', 9007199254740993n],
  [microsFromDecimal, '0.000001', 1],
  [microsFromDecimal, '350097.5', 350_097_500_000],
])('reads %p of %j exactly', (convert, sent, figure) => {
  expect(figureOf<string | number>(convert, sent)).toBe(figure);
});

test.each([
  [countFromText, '-1'],
  [countFromText, '1,234'],
  [countFromText, ''],
  [microsFromDecimal, '-0.000001'],
  [microsFromDecimal, 'x'],
])('gives nothing for %p of %j', (convert, sent) => {
  expect(figureOf<string | number>(convert, sent)).toBeUndefined();
});

test('what is no trouble of the number is not hidden', () => {
  const broken = () => {
    throw new TypeError('broken');
  };
  expect(() => figureOf(broken, '1')).toThrow('broken');
});
