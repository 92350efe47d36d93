import { z } from 'zod';
import { text } from './text.ts';

/** Entries of one page, at most. */
export const PAGE_MAX = 500;

/** The parameters of every list that comes in pages; `cursor` names where one begins, and is made by the API alone. */
export const PAGE_QUERY = {
  limit: z
    .string()
    .refine((value) => /^[1-9]\d{0,2}$/.test(value) && Number(value) <= PAGE_MAX, {
      error: `expected a whole number from 1 to ${PAGE_MAX}`,
    })
    .transform(Number)
    .optional(),
  cursor: text(1000).optional(),
};
