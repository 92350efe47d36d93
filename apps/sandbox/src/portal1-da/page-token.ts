import { z } from 'zod';
import { hash } from '../world/random.ts';
import type { PerformanceQuery } from './performance-query.ts';
import { statsRefusal } from './refusal.ts';

const LIFE_MS = 10 * 60_000;

const PlaceSchema = z.strictObject({
  account: z.string(),
  aggregation: z.string(),
  startDate: z.string(),
  endDate: z.string(),
  timeUnit: z.string(),
  limit: z.number(),
  /** How many rows were told before. */
  offset: z.number(),
  /** The moment of the first page: all pages tell the figures of then. */
  at: z.number(),
  issuedAt: z.number(),
});

/** Where the next page of a listing begins. */
export interface Place extends PerformanceQuery {
  offset: number;
  at: number;
  issuedAt: number;
}

/** A `next` that says everything by itself, so that a restart of the sandbox forgets none. */
export function pageToken(place: Place): string {
  const text = Buffer.from(JSON.stringify(place)).toString('base64url');
  return `${text}.${hash(text).toString(36)}`;
}

/** Reads a `next`; throws the platform's refusal of a forged one, of a dead one, and of one of another question. */
export function readPageToken(next: string, asked: PerformanceQuery, now: number): Place {
  const [text = '', seal = ''] = next.split('.');
  if (hash(text).toString(36) !== seal) throw invalidNext();
  const parsed = PlaceSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  if (!parsed.success) throw invalidNext();
  const place = parsed.data;
  if (now >= place.issuedAt + LIFE_MS) {
    throw statsRefusal('EXPIRED_PAGING_TOKEN', 'Page token has expired.');
  }
  if (place.startDate !== asked.startDate) throw inconsistent('START_DATE', 'startDate');
  if (place.endDate !== asked.endDate) throw inconsistent('END_DATE', 'endDate');
  if (place.limit !== asked.limit) throw inconsistent('LIMIT', 'limit');
  const isOther =
    place.account !== asked.account ||
    place.aggregation !== asked.aggregation ||
    place.timeUnit !== asked.timeUnit;
  if (isOther) throw invalidNext();
  return { ...asked, offset: place.offset, at: place.at, issuedAt: place.issuedAt };
}

function invalidNext() {
  return statsRefusal('INVALID_NEXT', 'The next field value is not valid.');
}

function inconsistent(word: string, field: string) {
  const message = `The ${field} field value does not match an existing request.`;
  return statsRefusal(`INCONSISTENT_${word}`, message);
}
