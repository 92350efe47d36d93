import { z } from 'zod';

export const CountSchema = z.int().min(0);

/** ISO 8601 UTC; null where there is none. */
export const MomentSchema = z.string().nullable();
