import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@tributary/runtime';
import { COLLECTIONS, type CollectionPlan, type IndexPlan } from './collections.ts';
import { type Database, isUnavailable } from './database.ts';

const ATTEMPTS_MAX = 10;

/**
 * Creates every collection and index that is missing. Running it again, or in several processes at once, is harmless.
 *
 * @throws AppError `duplicate_documents` with a sample when a unique index cannot be built over what is stored,
 *   `index_conflict` when an index of that name has another definition
 */
export async function ensureIndexes(
  db: Database,
  plans: readonly CollectionPlan[] = COLLECTIONS,
): Promise<void> {
  const stored = await db.db.listCollections({}, { nameOnly: true }).toArray();
  const names = new Set(stored.map(({ name }) => name));
  for (const plan of plans) await ensureCollection(db, plan, names.has(plan.name));
}

async function ensureCollection(
  db: Database,
  plan: CollectionPlan,
  exists: boolean,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (!exists) await createCollection(db, plan.name);
      const missing = await missingIndexes(db, plan);
      if (missing.length > 0) await db.db.collection(plan.name).createIndexes(missing);
      return;
    } catch (error) {
      if (error instanceof AppError || isUnavailable(error)) throw error;
      await refuseDuplicates(db, plan);
      // Two starts that create the same table or index at once can end in a deadlock there; the later one finds it done.
      if (attempt === ATTEMPTS_MAX) throw error;
      await sleep(50 + Math.random() * 100 * attempt);
    }
  }
}

async function createCollection({ db }: Database, name: string): Promise<void> {
  const NAMESPACE_EXISTS = 48;
  try {
    await db.createCollection(name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === NAMESPACE_EXISTS))
      throw error;
  }
}

async function missingIndexes({ db }: Database, plan: CollectionPlan) {
  const stored = await db.collection(plan.name).indexes();
  return plan.indexes
    .filter((index) => {
      const found = stored.find(({ name }) => name === index.name);
      if (found && definition(found) !== definition(index)) {
        throw new AppError(
          'index_conflict',
          `Index '${index.name}' of '${plan.name}' is ${definition(found)}, expected ${definition(index)}; drop it`,
        );
      }
      return !found;
    })
    .map((index) => ({ ...index, key: { ...index.key } }));
}

function definition(index: {
  key: object;
  unique?: boolean;
  sparse?: boolean;
  expireAfterSeconds?: number;
}): string {
  const { key, unique = false, sparse = false, expireAfterSeconds = null } = index;
  return JSON.stringify({ key, unique, sparse, expireAfterSeconds });
}

async function refuseDuplicates({ db }: Database, plan: CollectionPlan): Promise<void> {
  for (const index of plan.indexes.filter(({ unique }) => unique)) {
    const sample = await db
      .collection(plan.name)
      .aggregate<{ _id: object; count: number; first: unknown; last: unknown }>(
        [
          {
            $group: {
              _id: groupBy(index),
              count: { $sum: 1 },
              first: { $min: '$_id' },
              last: { $max: '$_id' },
            },
          },
          { $match: { count: { $gt: 1 } } },
          { $limit: 5 },
        ],
        { maxTimeMS: 25_000 },
      )
      .toArray();
    if (sample.length === 0) continue;
    const lines = sample.map(
      ({ _id, count, first, last }) =>
        `${JSON.stringify(_id)}: ${count} documents (${String(first)}, ${String(last)})`,
    );
    throw new AppError(
      'duplicate_documents',
      `Index '${index.name}' of '${plan.name}' must be unique, but there are:\n${lines.join('\n')}`,
    );
  }
}

function groupBy({ key }: IndexPlan): Record<string, string> {
  return Object.fromEntries(Object.keys(key).map((field) => [field, `$${field}`]));
}
