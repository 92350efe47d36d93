import type { Wish } from '@tributary/shared';
import { accounts } from './accounts.ts';
import { type Database, READ } from './database.ts';

const WISHES_MAX = 20;
/** Each attempt that loses was won by another wish or another waking. */
const WISH_ATTEMPTS_MAX = 100;

/**
 * Asks for a range by hand; cells fetched before `at` become due. Wishes are merged to at most 20.
 *
 * @throws Error when the account never stood still
 */
export async function wantRange(db: Database, id: string, wish: Wish): Promise<void> {
  for (let attempt = 0; attempt < WISH_ATTEMPTS_MAX; attempt += 1) {
    const projection = { wanted: 1, wake: 1 };
    const found = await accounts(db).findOne({ _id: id }, { ...READ, projection });
    if (!found) return;
    const { matchedCount } = await accounts(db).updateOne(
      { _id: id, wake: found.wake },
      {
        $set: { wanted: mergeWishes([...found.wanted, wish]), nextPlanAt: wish.at },
        $inc: { wake: 1 },
      },
    );
    if (matchedCount === 1) return;
  }
  throw new Error(`Account '${id}' took no wish in ${WISH_ATTEMPTS_MAX} attempts`);
}

/** Equal ranges keep the later wish; beyond the bound the two oldest become one range around both. */
function mergeWishes(wishes: readonly Wish[]): Wish[] {
  const ascending = [...wishes].sort((a, b) => a.at - b.at);
  const merged = [...new Map(ascending.map((wish) => [`${wish.from}.${wish.to}`, wish])).values()];
  merged.sort((a, b) => a.at - b.at);
  while (merged.length > WISHES_MAX) {
    const [first, second] = merged.splice(0, 2);
    if (!first || !second) break;
    merged.unshift({
      from: first.from < second.from ? first.from : second.from,
      to: first.to > second.to ? first.to : second.to,
      at: second.at,
    });
  }
  return merged;
}

/** Forgets wishes that are fulfilled, unless somebody woke the account since `wake` was read: a new one may be there. */
export async function dropWishes(
  db: Database,
  { id, wake }: { id: string; wake: number },
): Promise<void> {
  await accounts(db).updateOne({ _id: id, wake }, { $set: { wanted: [] } });
}
