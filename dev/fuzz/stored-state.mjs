// @ts-check
/**
 * What the store held, to be put back: every round of requests begins with the same.
 * @typedef {{ restore: (collections: readonly string[]) => Promise<void> }} StoredState
 */

const WRITE_MAX = 500;

/**
 * @param {import('@tributary/database').Database} database
 * @returns {Promise<StoredState>}
 */
export async function keepState({ db }) {
  /** @type {Map<string, import('mongodb').Document[]>} */
  const kept = new Map();
  for (const collection of await db.collections()) {
    kept.set(collection.collectionName, await collection.find().toArray());
  }
  return {
    async restore(collections) {
      for (const name of collections) {
        const documents = kept.get(name) ?? [];
        await db.collection(name).deleteMany({});
        for (let start = 0; start < documents.length; start += WRITE_MAX) {
          await db.collection(name).insertMany(documents.slice(start, start + WRITE_MAX));
        }
      }
    },
  };
}
