// @ts-check
import { getOk } from './sources.mjs';

/**
 * Single days of the blog against the feed's figures.
 * @param {import('./check-ads.mjs').Check} check
 */
export async function checkBlog({ run, link, range, tally }) {
  const { body } = await getOk(`${run.sandbox}/__sandbox/truth`, { channel: link.type, ...range });
  for (const day of body.days) {
    const asked = { id: link.id, start: day.date, end: day.date };
    const { data } = (await getOk(`${run.api}/data/blog-portal1`, asked)).body;
    const { both_way_neighborhood, one_way_neighborhood, other } = data.relation_dist;
    const stored = [
      data.visit_pv_cnt,
      data.uv_cnt,
      data.visit_cnt,
      both_way_neighborhood,
      one_way_neighborhood,
      other,
    ];
    const { mutual, oneWay, other: others } = day.neighbours;
    const truth = [day.pageViews, day.visitors, day.visits, mutual, oneWay, others];
    tally.add([{ place: `blog ${day.date}`, stored: stored.join(' '), truth: truth.join(' ') }]);
  }
}
