// @ts-check
import { indexOfMarker, markerOf, randomOf } from './random.mjs';

test('a request is the same for the same seed and number, and another for others', () => {
  const numbers = (/** @type {number} */ seed, /** @type {number} */ index) => {
    const random = randomOf(seed, index);
    return Array.from({ length: 8 }, () => random.int(1_000_000));
  };
  expect(numbers(1, 2)).toEqual(numbers(1, 2));
  const all = [numbers(1, 2), numbers(2, 1), numbers(1, 3), numbers(2, 2)].map(String);
  expect(new Set(all).size).toBe(4);
});

test('a marker names its request wherever it stands', () => {
  for (const index of [0, 1, 35, 36, 99_999, 1_000_000_123]) {
    expect(indexOfMarker(`x.$ne_${markerOf(index)}[]`)).toBe(index);
  }
  expect(indexOfMarker('fuzz')).toBeUndefined();
});
