import { PAGE_MAX } from '@tributary/shared';
import { Reply } from './reply.ts';

/** For the description of a list that is sent whole unless pages are asked for. */
export const PAGES_WORDS =
  'Without `limit` and `cursor` the whole list; with one of them a page, and the `Link` header names the next one.';

interface List<Item> {
  /** As it was asked. */
  query: Readonly<Record<string, string | number | undefined>> & {
    limit?: number | undefined;
    cursor?: string | undefined;
  };
  /** True for a list that comes in pages even when neither `limit` nor `cursor` asks for them. */
  isAlwaysPaged?: true;
  /** Reads so many items from where the cursor points; absent = all. */
  read(limit: number | undefined): Promise<readonly Item[]>;
  /** The cursor behind an item. */
  cursorOf(item: Item): string;
  /** The items as they are sent. */
  recordsOf(items: readonly Item[]): unknown[] | Promise<unknown[]>;
}

/**
 * The whole list, or the page of it that was asked for. The `Link` header names the next page relative to the address that
 * was asked, so it holds behind every base path and proxy.
 */
export async function listReply<Item>(list: List<Item>): Promise<Reply> {
  const { query, isAlwaysPaged, read, cursorOf, recordsOf } = list;
  const isPaged = isAlwaysPaged || query.cursor !== undefined;
  const limit = query.limit ?? (isPaged ? PAGE_MAX : undefined);
  if (limit === undefined) return new Reply({ data: await recordsOf(await read(undefined)) });
  const found = await read(limit + 1);
  const page = found.slice(0, limit);
  const data = await recordsOf(page);
  const last = page.at(-1);
  if (found.length <= limit || last === undefined) return new Reply({ data });
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, limit, cursor: cursorOf(last) })) {
    if (value !== undefined) next.set(name, String(value));
  }
  return new Reply({ headers: { Link: `<?${next.toString()}>; rel="next"` }, data });
}
