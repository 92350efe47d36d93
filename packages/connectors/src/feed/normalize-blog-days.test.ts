import { RetryableError } from '@tributary/runtime';
import type { FeedBlogDay } from './blog-day-schema.ts';
import {
  addOnce,
  asMalformed,
  checkDay,
  normalizeBlogDay,
  normalizeBlogDays,
} from './normalize-blog-days.ts';
import { FeedRowError } from './row-error.ts';

const WINDOW = { from: '2026-11-01', to: '2026-11-03' };
const FIGURES = {
  pageViews: 9,
  visitors: 4,
  visits: 5,
  averageDurationSeconds: 12.5,
  referrers: [],
  posts: [],
  neighbours: { mutual: 1, oneWay: 2, other: 3 },
};
const dayOf = (date: string): FeedBlogDay => ({ date, ...FIGURES });

test('a day keeps its figures and is named by its date', () => {
  expect(normalizeBlogDay(dayOf('2026-11-02'), WINDOW)).toEqual({
    day: '2026-11-02',
    row: FIGURES,
    key: '2026-11-02',
  });
  expect(() => normalizeBlogDay({ ...FIGURES, date: '2026-11-02', likes: 1 }, WINDOW)).toThrow(
    "Unknown field 'likes'",
  );
});

test('the first and the last wanted day are taken, no other', () => {
  for (const day of [WINDOW.from, WINDOW.to]) expect(() => checkDay(day, WINDOW)).not.toThrow();
  for (const day of ['2026-10-31', '2026-11-04']) {
    expect(() => checkDay(day, WINDOW)).toThrow(
      `Invalid value '${day}' in date, expected a day from 2026-11-01 to 2026-11-03`,
    );
    expect(() => normalizeBlogDay(dayOf(day), WINDOW)).toThrow(FeedRowError);
  }
});

test('days become observations of the blog, each once over all pages', () => {
  const seen = new Set<string>();
  expect(normalizeBlogDays([dayOf('2026-11-01')], WINDOW, seen)).toEqual([
    { day: '2026-11-01', set: 'blog', rows: [FIGURES] },
  ]);
  const again = () => normalizeBlogDays([dayOf('2026-11-01')], WINDOW, seen);
  expect(again).toThrow("The day '2026-11-01' came twice");
  expect(again).toThrow(expect.objectContaining({ code: 'duplicate_row' }));
  const outside = () => normalizeBlogDays([dayOf('2026-11-04')], WINDOW, seen);
  expect(outside).toThrow(RetryableError);
  expect(outside).toThrow(expect.objectContaining({ code: 'malformed_row' }));
});

test('a row that a person could mend is a malformed answer, with its reason; other errors stay', () => {
  const cause = new FeedRowError('date', 'Missing date');
  const mended = () =>
    asMalformed(() => {
      throw cause;
    });
  expect(mended).toThrow(expect.objectContaining({ message: 'Missing date', cause }));
  const broken = new TypeError('A bug');
  expect(() =>
    asMalformed(() => {
      throw broken;
    }),
  ).toThrow(broken);
  expect(asMalformed(() => 5)).toBe(5);
});

test('keys are remembered', () => {
  const seen = new Set(['a']);
  addOnce(seen, 'b', 'Row b');
  expect([...seen]).toEqual(['a', 'b']);
  expect(() => addOnce(seen, 'a', 'Row a')).toThrow('Row a came twice');
});
