import { addDays, type Day, eachMonth, monthOf, type RevisedEntity } from '@tributary/shared';
import type { Database } from './database.ts';
import type { AuthorizedLink } from './links.ts';
import {
  compareRevisions,
  listRevisions,
  type Revision,
  type RevisionPlace,
  type RevisionRange,
  readRevision,
} from './revisions.ts';

/** What one revision changed of one entity. */
export interface RevisedTotal {
  revision: Revision;
  /** Its number among the entities of the revision. */
  index: number;
  entity: RevisedEntity;
}

/** A place in the order of revised totals: the revision, and how many of its entities lie before. */
export type RevisedPlace = RevisionPlace & { index: number };

/** The totals that a revision changed; none when it was deleted meanwhile. */
export async function readRevisedTotals(
  db: Database,
  link: AuthorizedLink,
  revision: Revision,
): Promise<RevisedTotal[]> {
  const entities = await readRevision(db, link, revision);
  return entities.map((entity, index) => ({ revision, index, entity }));
}

/** At most `limit` revised totals of a link from a place on, by day, then time; months behind them are not read. */
export async function readRevisionsPage(
  db: Database,
  link: AuthorizedLink,
  {
    range,
    place,
    limit,
  }: { range: RevisionRange; place?: RevisedPlace | undefined; limit: number },
): Promise<RevisedTotal[]> {
  const page: RevisedTotal[] = [];
  const first = place && place.day > range.from ? place.day : range.from;
  for (const month of monthsOf(first, range.to)) {
    for (const revision of await listRevisions(db, link, { ...range, ...month })) {
      const order = place ? compareRevisions(revision, place) : 1;
      if (order < 0) continue;
      const totals = await readRevisedTotals(db, link, revision);
      const start = order === 0 && place ? place.index : 0;
      page.push(...totals.slice(start, start + limit - page.length));
      if (page.length === limit) return page;
    }
  }
  return page;
}

/** A range in pieces of one month, as coverage is stored. */
function monthsOf(from: Day, to: Day): { from: Day; to: Day }[] {
  return eachMonth(from, to).map((month) => {
    const first = `${month}-01`;
    const last = addDays(`${monthOf(addDays(first, 31))}-01`, -1);
    return { from: first > from ? first : from, to: last < to ? last : to };
  });
}
