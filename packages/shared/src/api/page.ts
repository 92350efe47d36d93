import { z } from 'zod';
import { text } from './text.ts';

/** Entries of one page, at most. */
export const PAGE_MAX = 500;
const LIMIT_ERROR = `expected a whole number from 1 to ${PAGE_MAX}`;

/** The parameters of every list that comes in pages; `cursor` names where one begins, and is made by the API alone. */
export const PAGE_QUERY = {
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, { error: LIMIT_ERROR, abort: true })
    .refine((value) => Number(value) <= PAGE_MAX, { error: LIMIT_ERROR })
    .transform(Number)
    .optional(),
  cursor: text(1000).optional(),
};
