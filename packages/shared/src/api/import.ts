import { z } from 'zod';
import { CountSchema } from './scalars.ts';

/** Most faulty rows and rejected days that an answer names; their numbers are told in full. */
export const IMPORT_ERRORS_SHOWN_MAX = 1_000;

/** What became of an imported file. A day with a faulty row is rejected as a whole, every other one is stored. */
export const ImportResultSchema = z
  .strictObject({
    /** Rows of the file. */
    rows: CountSchema,
    /** Days of the file: new or changed, there already, or not taken. */
    days: z.strictObject({ stored: CountSchema, unchanged: CountSchema, rejected: CountSchema }),
    rejectedDays: z.array(z.string()),
    errorCount: CountSchema,
    /** `row` counts from 1, without the header line of a CSV file. */
    errors: z.array(
      z.strictObject({ row: z.int().min(1), field: z.string().optional(), message: z.string() }),
    ),
  })
  .meta({ id: 'ImportResult' });
export type ImportResult = z.infer<typeof ImportResultSchema>;
