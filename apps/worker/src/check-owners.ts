import { type Account, type Database, entityKey, findOwners } from '@tributary/database';
import { FatalError } from '@tributary/runtime';
import {
  entityOf,
  LEVEL_WORDS,
  type ObservationRow,
  type Observed,
  type Source,
} from '@tributary/shared';

/**
 * A feed names entities and not their accounts. What belongs to another account of the link is refused: both would be
 * served as one, by whichever was read last.
 *
 * @throws FatalError `id_of_another_account`
 */
export async function checkOwners(
  db: Database,
  { _id, link, tenant }: Account,
  { source, page }: { source: Source; page: readonly Observed[] },
): Promise<void> {
  const level = source.fills[0]?.level;
  if (!source.feed || level === undefined || level === 'a') return;
  const rows = page.flatMap((piece) => piece.rows as readonly ObservationRow[]); // sources with fills have no others
  const ids = new Set(rows.map((row) => entityOf(row, level)));
  const nodes = [...ids].map((id) => ({ level, id }));
  const owners = await findOwners(db, { _id: link, tenant }, nodes);
  for (const { id } of nodes) {
    const owner = owners.get(entityKey(link, level, id));
    if (owner === undefined || owner === _id) continue;
    const advice = "A feed has to answer with the rows of the ad account that 'account' names.";
    throw new FatalError(
      'id_of_another_account',
      `The feed gave account '${_id}' the ${LEVEL_WORDS[level]} '${id}', which is of '${owner}'. ${advice}`,
    );
  }
}
