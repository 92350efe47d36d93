import { retryDuplicate } from './duplicate-key.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('duplicate', { indexes: false });
});
afterAll(() => test.drop());

/** Fails as the server does for the loser of a race, so many times, then succeeds. */
async function losing(times: number) {
  const collection = test.db.db.collection<{ _id: string }>('race');
  await collection.updateOne({ _id: 'x' }, { $set: { a: 1 } }, { upsert: true });
  const state = { calls: 0 };
  const write = async () => {
    state.calls += 1;
    if (state.calls <= times) await collection.insertOne({ _id: 'x' });
    return 'written';
  };
  return { state, write };
}

describe('retryDuplicate', () => {
  it.each([0, 1, 3])('writes after losing %d races', async (times) => {
    const { state, write } = await losing(times);
    expect(await retryDuplicate(write)).toBe('written');
    expect(state.calls).toBe(times + 1);
  });

  it('gives up after four attempts: then it is no race', async () => {
    const { state, write } = await losing(Number.POSITIVE_INFINITY);
    await expect(retryDuplicate(write)).rejects.toMatchObject({ code: 11_000 });
    expect(state.calls).toBe(4);
  });

  it('counts a hundred upserts of one new document whose filter has more than the id', async () => {
    const counters = test.db.db.collection<{ _id: string; tenant: string; n: number }>('counters');
    const count = () =>
      counters.updateOne({ _id: 'x', tenant: 't' }, { $inc: { n: 1 } }, { upsert: true });
    await counters.insertOne({ _id: 'other', tenant: 't', n: 0 });
    await Promise.all(Array.from({ length: 100 }, () => retryDuplicate(count)));
    expect(await counters.findOne({ _id: 'x' })).toMatchObject({ n: 100 });
  });

  it('repeats no other failure', async () => {
    let calls = 0;
    const write = async () => {
      calls += 1;
      throw new Error('something else');
    };
    await expect(retryDuplicate(write)).rejects.toThrow('something else');
    expect(calls).toBe(1);
  });
});
