import type { Answer } from './answer.ts';
import { UnexpectedAnswerError } from './errors.ts';

type ReadPage<Entry> = (page: {
  limit: number | string;
  cursor?: string;
}) => Promise<Answer<Entry[]>>;

const PAGE_ENTRIES = 500;

/** The entries of a list, page by page: the next page is asked for when the last entry was taken. */
export async function* readEntries<Entry>(
  readPage: ReadPage<Entry>,
  { limit = PAGE_ENTRIES, cursor: first }: { limit?: unknown; cursor?: unknown },
): AsyncGenerator<Entry, void, undefined> {
  let cursor = first as string | undefined; // typed by the operation
  for (;;) {
    const answer = await readPage({
      limit: limit as number | string, // typed by the operation
      ...(cursor !== undefined && { cursor }),
    });
    yield* answer.data;
    const next = nextCursor(answer.headers.get('link') ?? '');
    if (next === undefined) return;
    if (next === cursor) throw standstill(answer);
    cursor = next;
  }
}

/** A list that names the same page again would never end. */
export function standstill({ status, headers }: Answer<unknown>): UnexpectedAnswerError {
  const contentType = headers.get('content-type');
  return new UnexpectedAnswerError('The next page is the same as this one', {
    status,
    contentType,
  });
}

/** The cursor of the next page from a `Link` header (RFC 8288). Nothing else of the address is followed. */
export function nextCursor(header: string): string | undefined {
  for (const [, target = '', parameters = ''] of header.matchAll(/<([^>]*)>([^<]*)/g)) {
    if (!/;\s*rel\s*=\s*"?next\b/i.test(parameters)) continue;
    const query = target.slice(target.indexOf('?') + 1).replace(/#.*$/, '');
    return new URLSearchParams(query).get('cursor') ?? undefined;
  }
  return undefined;
}
