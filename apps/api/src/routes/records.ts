import { type AuthorizedLink, type Comment, childTree, type Database } from '@tributary/database';
import { CHANNELS, type CommentRecord, type LinkRecord } from '@tributary/shared';

/** A stored link as the interface sends it; a blog has no `child`. */
export async function linkRecord(db: Database, link: AuthorizedLink): Promise<LinkRecord> {
  const { _id: id, title, status, type, tag } = link;
  const record = { id, title, status, type, tag };
  if (CHANNELS[type].kind === 'blog') return record;
  return { ...record, child: await childTree(db, link) };
}

/** A moment as answers tell it: null where there is none. */
export function momentText(at: number): string;
export function momentText(at: number | undefined): string | null;
export function momentText(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

/** A stored comment as the interface sends it. */
export function commentRecord({
  idx,
  key,
  title,
  contents,
  createdAt,
  updatedAt,
}: Comment): CommentRecord {
  return {
    idx,
    key,
    title,
    contents,
    cdate: momentText(createdAt),
    udate: momentText(updatedAt),
  };
}
