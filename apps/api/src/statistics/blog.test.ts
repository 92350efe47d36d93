import type { BlogDay } from '@tributary/shared';
import fc from 'fast-check';
import { combineBlogDays } from './blog.ts';

const EMPTY: BlogDay = {
  pageViews: 0,
  visitors: 0,
  visits: 0,
  averageDurationSeconds: 0,
  referrers: [],
  posts: [],
  neighbours: { mutual: 0, oneWay: 0, other: 0 },
};

const post = (id: string, views: number, writtenOn = '2026-01-01', title = id) => ({
  id,
  title,
  views,
  type: 'post',
  writtenOn,
});

describe('combineBlogDays', () => {
  it('adds counts, takes the largest day of visitors and weighs the duration by visits', () => {
    const days = [
      { ...EMPTY, pageViews: 10, visitors: 7, visits: 3, averageDurationSeconds: 10.25 },
      { ...EMPTY, pageViews: 5, visitors: 4, visits: 1, averageDurationSeconds: 0.1 },
    ];
    expect(combineBlogDays(days)).toMatchObject({
      visit_pv_cnt: 15,
      uv_cnt: 7,
      visit_cnt: 4,
      average_duration: 7.7,
    });
  });

  it('rounds the duration once, half up, and is 0 without visits', () => {
    const day = (averageDurationSeconds: number, visits: number) => ({
      ...EMPTY,
      averageDurationSeconds,
      visits,
    });
    expect(combineBlogDays([day(0.05, 1)]).average_duration).toBe(0.1);
    expect(combineBlogDays([day(0.04, 1), day(0.04, 1)]).average_duration).toBe(0);
    expect(combineBlogDays([day(30, 0)]).average_duration).toBe(0);
    expect(combineBlogDays([]).average_duration).toBe(0);
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(1_000_000), (tenths, visits) => {
        const { average_duration } = combineBlogDays([day(tenths / 10, visits + 1)]);
        expect(average_duration).toBe(tenths / 10);
      }),
    );
  });

  it('adds referrers up by id, else by title, with shares of all and of the parent', () => {
    const days: BlogDay[] = [
      {
        ...EMPTY,
        referrers: [
          { id: 's', title: 'Search', count: 1, detail: [{ title: 'b', count: 1 }] },
          { title: 'Direct', count: 2, detail: [] },
        ],
      },
      {
        ...EMPTY,
        referrers: [
          {
            id: 's',
            title: 'Search (new)',
            count: 2,
            detail: [
              { title: 'a', count: 1 },
              { title: 'b', count: 0 },
            ],
          },
          { title: 'Amber', count: 2, detail: [] },
        ],
      },
    ];
    expect(combineBlogDays(days).referer).toEqual([
      {
        title: 'Search (new)',
        percent: '42.9',
        detail: [
          { title: 'a', percent: '33.3' },
          { title: 'b', percent: '33.3' },
        ],
      },
      { title: 'Amber', percent: '28.6', detail: [] },
      { title: 'Direct', percent: '28.6', detail: [] },
    ]);
  });

  it('shares of nothing are "0.0"', () => {
    const referrers = [{ title: 'x', count: 0, detail: [{ title: 'y', count: 0 }] }];
    expect(combineBlogDays([{ ...EMPTY, referrers }]).referer).toEqual([
      { title: 'x', percent: '0.0', detail: [{ title: 'y', percent: '0.0' }] },
    ]);
  });

  it('ranks ten posts by views, the earlier written first, with the newest title', () => {
    const first = Array.from({ length: 12 }, (_, index) => post(`p${index}`, index));
    const second = [post('p0', 20, '2025-01-01', 'Renamed'), post('late', 20, '2026-05-05')];
    const days = [first, second].map((posts) => ({ ...EMPTY, posts }));
    const { rank_pv } = combineBlogDays(days);
    expect(rank_pv).toHaveLength(10);
    expect(rank_pv.slice(0, 3)).toEqual([
      { rank: 1, title: 'Renamed', views: 20, type: 'post', date: '2025-01-01' },
      { rank: 2, title: 'late', views: 20, type: 'post', date: '2026-05-05' },
      { rank: 3, title: 'p11', views: 11, type: 'post', date: '2026-01-01' },
    ]);
  });
});
