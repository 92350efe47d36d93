import { SUSPECT_RETRY_MS, suspect } from './suspicion.ts';

const HOUR = 3_600_000;
const empty = { rows: 0, digest: '0-0' };
const stored = { rows: 24, spend: 1_000_000 };

test('an answer is believed when nothing was stored, or nothing it could fall short of', () => {
  expect(suspect({ ...empty, at: 0 }, undefined, undefined)).toBeUndefined();
  expect(suspect({ ...empty, at: 0 }, { rows: 0 }, undefined)).toBeUndefined();
  expect(
    suspect({ rows: 1, spend: 0, digest: 'a', at: 0 }, { rows: 24, spend: 0 }, undefined),
  ).toBeUndefined();
});

test('no rows where there were some, or under a fifth of the spend, are suspicious; a fifth is not', () => {
  expect(suspect({ ...empty, at: 7 }, stored, undefined)).toEqual({
    digest: '0-0',
    since: 7,
    answers: 1,
  });
  expect(
    suspect({ rows: 24, spend: 199_999, digest: 'a', at: 7 }, stored, undefined),
  ).toBeDefined();
  expect(
    suspect({ rows: 24, spend: 200_000, digest: 'a', at: 7 }, stored, undefined),
  ).toBeUndefined();
});

test('the third equal answer is believed, and only six hours after the first', () => {
  const first = suspect({ ...empty, at: 0 }, stored, undefined);
  const second = suspect({ ...empty, at: SUSPECT_RETRY_MS }, stored, first);
  expect(second).toEqual({ digest: '0-0', since: 0, answers: 2 });
  expect(suspect({ ...empty, at: 6 * HOUR - 1 }, stored, second)).toMatchObject({ answers: 3 });
  expect(suspect({ ...empty, at: 2 * SUSPECT_RETRY_MS }, stored, second)).toBeUndefined();
});

test('another suspicious answer begins the count anew', () => {
  const first = suspect({ ...empty, at: 0 }, stored, undefined);
  const other = suspect({ rows: 1, spend: 1, digest: 'b', at: 9 * HOUR }, stored, first);
  expect(other).toEqual({ digest: 'b', since: 9 * HOUR, answers: 1 });
});
