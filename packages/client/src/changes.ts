import type { Answer } from './answer.ts';
import type { CallOptions } from './call.ts';
import { standstill } from './entries.ts';
import type { Change, Changes } from './operations.ts';
import { readMs, type Settings } from './options.ts';

export interface ChangesOptions extends CallOptions {
  /** Where the feed goes on: that of the last page that was dealt with. Absent: the oldest change that is kept. */
  cursor?: string | undefined;
  /** Changes of one page, 1 to 500. */
  limit?: number | undefined;
  /** Asks again after this time when nothing more is there; absent: ends there. */
  pollMs?: number | undefined;
}

/** Some changes, and the cursor to keep once they are dealt with. */
export interface ChangesPage {
  changes: Change[];
  cursor: string;
}

type ReadChanges = (
  page: { cursor?: string | undefined; limit?: number | undefined },
  options: CallOptions,
) => Promise<Answer<Changes>>;

/** The change feed, page by page. */
export async function* followChanges(
  read: ReadChanges,
  { delay }: Pick<Settings, 'delay'>,
  { cursor: first, limit, pollMs, ...options }: ChangesOptions,
): AsyncGenerator<ChangesPage, void, undefined> {
  if (pollMs !== undefined) readMs('pollMs', pollMs);
  let kept = first;
  for (;;) {
    const answer = await read({ cursor: kept, limit }, options);
    const { changes, cursor, more } = answer.data;
    if (more && cursor === kept) throw standstill(answer);
    if (changes.length > 0 || cursor !== kept) yield { changes, cursor };
    kept = cursor;
    if (more) continue;
    if (pollMs === undefined) return;
    await delay(pollMs, options.signal);
  }
}
