import {
  add,
  type BlogDay,
  type BlogStatistics,
  type Exact,
  microsFromDecimal,
  ratio,
} from '@tributary/shared';

const RANKS_MAX = 10;

type BlogData = BlogStatistics['data'];

/**
 * The blog's figures over days, ascending: counts are added; unique visitors cannot be, so the largest day stands for
 * them (a true lower bound).
 */
export function combineBlogDays(days: readonly BlogDay[]): BlogData {
  const sum = (of: (day: BlogDay) => number) => days.reduce((total, day) => total + of(day), 0);
  return {
    visit_pv_cnt: sum(({ pageViews }) => pageViews),
    uv_cnt: Math.max(0, ...days.map(({ visitors }) => visitors)),
    visit_cnt: sum(({ visits }) => visits),
    referer: combineReferrers(days),
    rank_pv: rankPosts(days),
    average_duration: averageDuration(days),
    relation_dist: {
      both_way_neighborhood: sum(({ neighbours }) => neighbours.mutual),
      one_way_neighborhood: sum(({ neighbours }) => neighbours.oneWay),
      other: sum(({ neighbours }) => neighbours.other),
    },
  };
}

/** Weighted by visits, in seconds with one decimal. Exact until the one rounding at the end. */
function averageDuration(days: readonly BlogDay[]): number {
  let micros: Exact = 0;
  let visits: Exact = 0;
  for (const day of days) {
    const product = BigInt(microsFromDecimal(day.averageDurationSeconds)) * BigInt(day.visits);
    micros = add(micros, product);
    visits = add(visits, day.visits);
  }
  // One rounding: tenths of a second = micros / (visits x 100,000).
  return Number(ratio(micros, 1, BigInt(visits) * 100_000n)) / 10;
}

interface Referrer {
  title: string;
  count: number;
  detail: Map<string, number>;
}

function combineReferrers(days: readonly BlogDay[]): BlogData['referer'] {
  const referrers = new Map<string, Referrer>();
  for (const { id, title, count, detail } of days.flatMap((day) => day.referrers)) {
    const key = id === undefined ? `title ${title}` : `id ${id}`;
    const known = referrers.get(key) ?? { title, count: 0, detail: new Map() };
    known.title = title; // the newest day's name
    known.count += count;
    for (const one of detail) {
      known.detail.set(one.title, (known.detail.get(one.title) ?? 0) + one.count);
    }
    referrers.set(key, known);
  }
  const all = [...referrers.values()];
  const total = all.reduce((sum, { count }) => sum + count, 0);
  return all.sort(byCountThenTitle).map(({ title, count, detail }) => ({
    title,
    percent: percentText(count, total),
    detail: [...detail]
      .map(([name, part]) => ({ title: name, count: part }))
      .sort(byCountThenTitle)
      .map((one) => ({ title: one.title, percent: percentText(one.count, count) })),
  }));
}

function byCountThenTitle(
  a: { title: string; count: number },
  b: { title: string; count: number },
): number {
  return b.count - a.count || compareText(a.title, b.title);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A share in percent with one decimal, half up: `"12.3"`. */
function percentText(count: number, whole: number): string {
  const tenths = Number(ratio(count, 1000, whole));
  return `${Math.floor(tenths / 10)}.${tenths % 10}`;
}

function rankPosts(days: readonly BlogDay[]): BlogData['rank_pv'] {
  const posts = new Map<string, BlogDay['posts'][number]>();
  for (const post of days.flatMap((day) => day.posts)) {
    const views = (posts.get(post.id)?.views ?? 0) + post.views;
    posts.set(post.id, { ...post, views }); // title and type as of the newest day
  }
  return [...posts.values()]
    .sort(
      (a, b) =>
        b.views - a.views || compareText(a.writtenOn, b.writtenOn) || compareText(a.id, b.id),
    )
    .slice(0, RANKS_MAX)
    .map(({ title, views, type, writtenOn }, index) => ({
      rank: index + 1,
      title,
      views,
      type,
      date: writtenOn,
    }));
}
