import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { invalidRequest } from './problem.ts';
import { quote } from './quote.ts';

/** The list that a cursor belongs to: it opens no other one. */
interface CursorList {
  /** The route's, without the slash before it. */
  path: string;
  tenant: string;
  /** What else the list was asked for. */
  filters?: readonly (string | undefined)[];
}

type Place = readonly (string | number)[];

/** Writes and reads the cursors of one list: base64url of a JSON array, the list's mark before the place. */
export interface Cursors<P extends Place> {
  write(place: P): string;
  /**
   * The place a cursor names; without one the beginning, undefined.
   *
   * @throws ProblemError `invalid_request` for a cursor that is not exactly what {@link write} makes for this list
   */
  read(cursor: string | undefined): P | undefined;
}

/** @param placeSchema checks what a cursor names, before it gets near a filter */
export function createCursors<P extends Place>(
  list: CursorList,
  placeSchema: z.ZodType<P>,
): Cursors<P> {
  const mark = markOf(list);
  const write = (place: Place) =>
    Buffer.from(JSON.stringify([mark, ...place])).toString('base64url');
  return {
    write,
    read(cursor) {
      if (cursor === undefined) return undefined;
      const place = placeSchema.safeParse(parse(cursor));
      if (place.success && write(place.data) === cursor) return place.data;
      const message = `Invalid value ${quote(cursor)} in query.cursor, expected the cursor of an earlier answer to the same question`;
      throw invalidRequest([{ in: 'query', name: 'cursor', message }]);
    },
  };
}

function markOf({ path, tenant, filters = [] }: CursorList): string {
  const asked = filters.length > 0 ? JSON.stringify(filters) : '';
  return createHash('sha256').update(`${path}${asked} ${tenant}`).digest('base64url').slice(0, 8);
}

/** What stands behind the mark; undefined when it is no array at all. */
function parse(cursor: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value.slice(1) : undefined;
  } catch {
    return undefined;
  }
}
