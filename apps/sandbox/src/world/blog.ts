import { addDays, addMonths, createZone, datesOf, daysBetween, weekdayOf } from './days.ts';
import { createRandom, whole } from './random.ts';
import { cumulate, share } from './split.ts';

export const FEED_ZONE = 'Asia/Seoul';
const HISTORY_MONTHS = 24;
const FIRST_POST = '2023-01-02';
const POST_EVERY_DAYS = 4;

/** Part of a day's final figures that is told 1, 2 and 3 days after it; older days are final. */
const TOLD_AFTER_DAYS: Record<number, number> = { 1: 0.96, 2: 0.985, 3: 0.995 };

export interface BlogDay {
  date: string;
  pageViews: number;
  visitors: number;
  visits: number;
  averageDurationSeconds: number;
  referrers: {
    id?: string;
    title: string;
    count: number;
    detail: { title: string; count: number }[];
  }[];
  posts: { id: string; title: string; views: number; type: string; writtenOn: string }[];
  neighbours: { mutual: number; oneWay: number; other: number };
}

const REFERRERS: { id?: string; title: string; weight: number; detail: Record<string, number> }[] =
  [
    {
      id: 'portal-search',
      title: '통합검색',
      weight: 46,
      detail: { '제주 카페': 9, '서울 봄 코스': 6, 'camera "lens" review': 3 },
    },
    {
      id: 'engine',
      title: 'Search engine',
      weight: 18,
      detail: { 'seoul spring': 4, '캠핑 준비물': 3 },
    },
    { id: 'portal-blog', title: '블로그 홈', weight: 12, detail: {} },
    {
      id: 'social',
      title: 'Social',
      weight: 9,
      detail: { 'l.social.example': 5, 'm.social.example': 4 },
    },
    { title: '직접 유입', weight: 15, detail: {} },
  ];

/** How much of a day's final figures is told today; 0 for days that are not over. */
export function toldShare(date: string, today: string): number {
  const age = daysBetween(date, today);
  return age < 1 ? 0 : (TOLD_AFTER_DAYS[age] ?? 1);
}

/** The days of a range that the owner's exporter can tell today: from 24 months ago to yesterday. */
export function toldDates(start: string, end: string, today: string): string[] {
  const first = addMonths(today, -HISTORY_MONTHS);
  const last = addDays(today, -1);
  return datesOf(start < first ? first : start, end > last ? last : end);
}

function postsOf(random: () => number, date: string, views: number): BlogDay['posts'] {
  const newest = Math.floor(daysBetween(FIRST_POST, date) / POST_EVERY_DAYS);
  if (newest < 0) return [];
  const numbers = [
    ...new Set(Array.from({ length: 14 }, () => Math.floor(newest * (1 - random() ** 2)))),
  ];
  const weights = cumulate(numbers.map(() => whole(random, 10, 100)));
  const types = ['글', '영상', '링크'];
  return numbers
    .map((n, i) => ({
      id: String(223_000_000_000 + n * 7_919),
      title: `이야기 ${n} – "day ${n}"`,
      views: share(Math.floor(views * 0.9), weights, i),
      type: types[n % 3] ?? '글',
      writtenOn: addDays(FIRST_POST, n * POST_EVERY_DAYS),
    }))
    .filter((post) => post.views > 0);
}

function blogDay(seed: string, date: string, today: string): BlogDay {
  const random = createRandom(`${seed}/blog/${date}`);
  const told = toldShare(date, today);
  const weekend = [0, 6].includes(weekdayOf(date)) ? 1.3 : 1;
  const visits = Math.floor(whole(random, 250, 900) * weekend * told);
  const pageViews = Math.floor(visits * (1.3 + random()));
  const visitors = Math.floor(visits * (0.8 + 0.15 * random()));
  const averageDurationSeconds = Math.round((60 + 150 * random()) * 10) / 10;
  const weights = cumulate(
    REFERRERS.map(({ weight }) => Math.round(weight * (50 + 100 * random()))),
  );
  const neighbours = cumulate([18, 9, 73].map((weight) => weight * (50 + whole(random, 0, 100))));
  // Referrers count returns within half an hour and the owner's own visits too: they never add up to the visits.
  const counted = Math.floor(pageViews * 0.87);
  return {
    date,
    pageViews,
    visitors,
    visits,
    averageDurationSeconds,
    referrers: REFERRERS.map(({ id, title, weight, detail }, i) => {
      const count = share(counted, weights, i);
      const parts = Object.entries(detail).map(([name, part]) => ({
        title: name,
        count: Math.floor((count * part) / weight),
      }));
      return {
        ...(id === undefined ? {} : { id }),
        title,
        count,
        detail: parts.filter((part) => part.count > 0),
      };
    }),
    posts: postsOf(random, date, pageViews),
    neighbours: {
      mutual: share(visits, neighbours, 0),
      oneWay: share(visits, neighbours, 1),
      other: share(visits, neighbours, 2),
    },
  };
}

export interface BlogWorld {
  /** The days of the range that are told at `now`, ascending. */
  days(start: string, end: string, now: number): BlogDay[];
}

export function createBlog(seed: string): BlogWorld {
  const zone = createZone(FEED_ZONE);
  return {
    days(start, end, now) {
      const today = zone.dateAt(now);
      return toldDates(start, end, today).map((date) => blogDay(seed, date, today));
    },
  };
}
