import { AppError } from '@tributary/runtime';
import { COLLECTIONS } from './collections.ts';
import { ensureIndexes } from './indexes.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('indexes', { indexes: false });
});
afterAll(() => test.drop());

async function codeOf(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('ensureIndexes', () => {
  it('creates all collections and indexes, with several starts at once', async () => {
    await Promise.all(Array.from({ length: 6 }, () => ensureIndexes(test.db)));
    for (const plan of COLLECTIONS) {
      const stored = await test.db.db.collection(plan.name).indexes();
      expect(new Set(stored.map(({ name }) => name))).toEqual(
        new Set(['_id_', ...plan.indexes.map(({ name }) => name)]),
      );
    }
  }, 60_000);

  it('survives starts that race for the same new collection', async () => {
    const indexes = [
      { name: 'a', key: { a: 1 } },
      { name: 'b', key: { b: 1 }, unique: true },
    ] as const;
    for (const name of ['race1', 'race2', 'race3']) {
      const starts = Array.from({ length: 10 }, () => ensureIndexes(test.db, [{ name, indexes }]));
      await Promise.all(starts);
      expect(await test.db.db.collection(name).indexes()).toHaveLength(3);
    }
  }, 60_000);

  it('creates nothing when all is there', async () => {
    test.takeCommands();
    await ensureIndexes(test.db);
    const sent = new Set(test.takeCommands().map((command) => Object.keys(command)[0]));
    expect(sent).toEqual(new Set(['listCollections', 'listIndexes']));
  });

  it('refuses with a sample when stored documents forbid a unique index', async () => {
    const { db } = test.db;
    await db.collection('comments').dropIndex('tenant_idx');
    const twins = ['a', 'b'].map((key) => ({ key, tenant: 't1', idx: 3 }));
    await db.collection('comments').insertMany([...twins, { key: 'c', tenant: 't2', idx: 3 }]);
    const { code, message } = await codeOf(ensureIndexes(test.db));
    expect(code).toBe('duplicate_documents');
    expect(message).toContain('{"tenant":"t1","idx":3}: 2 documents');
    expect(message).not.toContain('t2');
    await db.collection('comments').deleteMany({});
    await ensureIndexes(test.db);
  });

  it('refuses an index of the same name with another definition', async () => {
    await test.db.db.collection('links').dropIndex('purgeAt');
    await test.db.db.collection('links').createIndex({ title: 1 }, { name: 'purgeAt' });
    const { code, message } = await codeOf(ensureIndexes(test.db));
    expect(code).toBe('index_conflict');
    expect(message).toContain("Index 'purgeAt' of 'links'");
  });
});
