import { LEVEL_WORDS, type LevelWord } from '@tributary/shared';
import { z } from 'zod';

const LEVEL_NAMES = Object.values(LEVEL_WORDS) as [LevelWord, ...LevelWord[]]; // Object.values widens the tuple

/** A number as JSON or as text; which of the two keeps its digits is the exporter's business. */
const FigureSchema = z.union([z.string(), z.number()], { error: 'expected a number' });
const OptionalFigureSchema = FigureSchema.nullish();
const TextSchema = z.union([z.string(), z.number()], { error: 'expected text' });

/**
 * One row of a feed's `observations`: a figure of one entity and day, of one value of a dimension or, without one, in
 * total. Nothing else is accepted, so that a misspelt field is not taken for a zero.
 */
export const FeedObservationSchema = z.strictObject({
  date: z.string(),
  level: z.enum(LEVEL_NAMES),
  /** The platform's id of the ad account, campaign, ad group or ad. */
  entityId: TextSchema,
  dimension: z.string().nullish(),
  value: TextSchema.nullish(),
  impressions: FigureSchema,
  clicks: FigureSchema,
  spend: FigureSchema,
  conversions: OptionalFigureSchema,
  amount: OptionalFigureSchema,
  reach: OptionalFigureSchema,
});
export type FeedObservation = z.infer<typeof FeedObservationSchema>;

/** A page of `GET {feedUrl}/v1/observations`; its rows are read one by one, so that an error names row and field. */
export const FeedObservationPageSchema = z.strictObject({
  rows: z.array(z.unknown()),
  /** The cursor of the next page; absent on the last one. */
  next: z.string().min(1).nullish(),
});
