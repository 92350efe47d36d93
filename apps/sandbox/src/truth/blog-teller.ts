import { z } from 'zod';
import type { BlogWorld } from '../world/blog.ts';
import { parseRange, RANGE_FIELDS, type TruthTeller } from './truth-teller.ts';

const QuestionSchema = z.strictObject(RANGE_FIELDS);

/** Tells the blog's days as the feed tells them. */
export function createBlogTeller(blog: BlogWorld): TruthTeller {
  return {
    truth(query, now) {
      const { start, end, at = now } = parseRange(QuestionSchema, query);
      return blog.days(start, end, at);
    },
  };
}
