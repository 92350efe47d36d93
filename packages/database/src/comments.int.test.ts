import {
  type CommentInput,
  createComment,
  deleteComment,
  listComments,
  updateComment,
} from './comments.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('comments');
}, 60_000);
afterAll(() => test.drop());

const input = (more: Partial<CommentInput> = {}): CommentInput => ({
  key: 'k',
  title: 'Title',
  contents: 'Contents',
  now: 1000,
  ...more,
});
const numbers = async (tenant: string) =>
  (await listComments(test.db, tenant)).map(({ idx }) => idx);

describe('createComment', () => {
  it('numbers 100 comments that race from 1 to 100', async () => {
    const made = await Promise.all(
      Array.from({ length: 100 }, () => createComment(test.db, 'race', input())),
    );
    const expected = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(made.map(({ idx }) => idx).toSorted((a, b) => a - b)).toEqual(expected);
    expect(await numbers('race')).toEqual(expected);
  });

  it('never uses a number again after deletion', async () => {
    for (const expected of [1, 2, 3]) {
      const { idx } = await createComment(test.db, 'deleted', input());
      expect(idx).toBe(expected);
      expect(await deleteComment(test.db, 'deleted', { key: 'k', idx })).toBe(true);
    }
  });

  it('counts each tenant for itself', async () => {
    await createComment(test.db, 'own-a', input());
    expect((await createComment(test.db, 'own-b', input())).idx).toBe(1);
  });

  it('goes on above the highest number when the counter was lost', async () => {
    for (let count = 0; count < 8; count += 1) await createComment(test.db, 'lost', input());
    await test.db.db.collection('counters').deleteMany({ tenant: 'lost' });
    expect((await createComment(test.db, 'lost', input())).idx).toBe(9);
  });

  it('keeps the text as it was sent, with equal times', async () => {
    const text = ' =cmd() \u202e 👍🏽 <b>"\'$where{{}} ';
    const made = await createComment(test.db, 'text', input({ key: text, contents: text }));
    const expected = { idx: 1, key: text, title: 'Title', contents: text };
    expect(made).toEqual({ ...expected, createdAt: 1000, updatedAt: 1000 });
    expect(await listComments(test.db, 'text', { key: text })).toEqual([made]);
  });
});

describe('listComments', () => {
  it('lists by number, those of one exact key when it is given', async () => {
    for (const key of ['b', 'a', 'B', 'b']) await createComment(test.db, 'list', input({ key }));
    expect(await numbers('list')).toEqual([1, 2, 3, 4]);
    const ofKey = await listComments(test.db, 'list', { key: 'b' });
    expect(ofKey.map(({ idx }) => idx)).toEqual([1, 4]);
  });

  it('reads no more than a page, from behind the comment named', async () => {
    for (const key of ['a', 'b', 'a', 'a']) await createComment(test.db, 'page', input({ key }));
    test.takeCommands();
    const page = await listComments(test.db, 'page', { key: 'a', after: 1, limit: 1 });
    expect(page.map(({ idx }) => idx)).toEqual([3]);
    const filter = { tenant: 'page', key: 'a', idx: { $gt: 1 } };
    expect(test.takeCommands()).toMatchObject([{ find: 'comments', filter, limit: 1 }]);
    expect(await listComments(test.db, 'page', { after: 4, limit: 1 })).toEqual([]);
  });

  it('orders beyond 9 and 99 by number, not by text', async () => {
    for (let count = 0; count < 12; count += 1) await createComment(test.db, 'order', input());
    expect((await numbers('order')).slice(-4)).toEqual([9, 10, 11, 12]);
  });
});

describe('updateComment', () => {
  it('changes title, contents and the time of change only', async () => {
    const made = await createComment(test.db, 'put', input());
    const change = { key: 'k', idx: 1, title: 'New', contents: 'Other', now: 2000 };
    const expected = { ...made, title: 'New', contents: 'Other', updatedAt: 2000 };
    expect(await updateComment(test.db, 'put', change)).toEqual(expected);
    expect(await listComments(test.db, 'put')).toEqual([expected]);
  });

  it('finds nothing under another key, number or tenant, and changes nothing', async () => {
    const made = await createComment(test.db, 'put2', input());
    const change = { key: 'k', idx: 1, title: 'New', contents: 'Other', now: 2000 };
    expect(await updateComment(test.db, 'put2', { ...change, key: 'K' })).toBeUndefined();
    expect(await updateComment(test.db, 'put2', { ...change, idx: 2 })).toBeUndefined();
    expect(await updateComment(test.db, 'put3', change)).toBeUndefined();
    expect(await listComments(test.db, 'put2')).toEqual([made]);
  });
});

describe('deleteComment', () => {
  it('deletes once, and only under its own key and tenant', async () => {
    await createComment(test.db, 'del', input());
    expect(await deleteComment(test.db, 'del', { key: 'other', idx: 1 })).toBe(false);
    expect(await deleteComment(test.db, 'del2', { key: 'k', idx: 1 })).toBe(false);
    expect(await deleteComment(test.db, 'del', { key: 'k', idx: 1 })).toBe(true);
    expect(await deleteComment(test.db, 'del', { key: 'k', idx: 1 })).toBe(false);
  });
});
