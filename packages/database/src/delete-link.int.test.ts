import { createCredentialBox } from '@tributary/runtime';
import { COLLECTIONS } from './collections.ts';
import { saveCredentials } from './credentials.ts';
import { deleteLink, purgeLink } from './delete-link.ts';
import { setLinkStatus } from './link-status.ts';
import { createLink, findLink, findLinkById, listLinks } from './links.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('delete');
}, 60_000);
afterAll(() => test.drop());

const box = createCredentialBox(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
const below = COLLECTIONS.filter(({ belowLink }) => belowLink).map(({ name }) => name);
const collection = (name: string) => test.db.db.collection<{ _id: string }>(name);

async function linkWithData(documents = 3) {
  const input = { tenant: 't1', type: 'SOCIAL_ADS', title: 'x', tag: '', settings: {} } as const;
  const link = await createLink(test.db, { ...input, now: 1 });
  await saveCredentials(test.db, box, link, { token: 'x' }, 2);
  for (const name of below) {
    const ids = Array.from({ length: documents }, (_, index) => ({
      _id: `${link._id}.c.${index}`,
    }));
    await collection(name).insertMany(ids);
  }
  return link;
}

const count = async (id: string) => {
  const range = { _id: { $gte: `${id}.`, $lt: `${id}/` } };
  const counts = await Promise.all(below.map((name) => collection(name).countDocuments(range)));
  return counts.reduce((sum, one) => sum + one, 0);
};

describe('deleteLink', () => {
  it('erases the credentials at once and hides the link, whose tombstone stays', async () => {
    const link = await linkWithData();
    expect(await deleteLink(test.db, link, 50)).toBe(true);
    expect(await collection('credentials').countDocuments({ _id: link._id })).toBe(0);
    expect(await findLink(test.db, 't1', link._id)).toBeUndefined();
    expect((await listLinks(test.db, 't1')).map(({ _id }) => _id)).not.toContain(link._id);
    expect(await findLinkById(test.db, link._id)).toMatchObject({ deletedAt: 50, gen: 2 });
  });

  it('is final: a second deletion keeps the first time, and no status counts any more', async () => {
    const link = await linkWithData();
    await deleteLink(test.db, link, 60);
    expect(await deleteLink(test.db, link, 61)).toBe(false);
    const status = { status: 'Completed', reason: null, gen: 2 } as const;
    expect(await setLinkStatus(test.db, link._id, status)).toBe(false);
    expect((await findLinkById(test.db, link._id))?.deletedAt).toBe(60);
  });
});

describe('purgeLink', () => {
  it('deletes everything below the link in several batches, and nothing of its neighbours', async () => {
    const [link, other] = [await linkWithData(1201), await linkWithData()];
    const near = [link._id, `${link._id}-.c.1`, `${link._id}a.c.1`, `${link._id}%2E.c.1`];
    await collection('entities').insertMany(near.map((_id) => ({ _id })));
    await deleteLink(test.db, link, 70);
    expect(await purgeLink(test.db, link._id)).toEqual({
      deleted: 1201 * below.length,
      done: true,
    });
    expect(await count(link._id)).toBe(0);
    expect(await count(other._id)).toBe(3 * below.length);
    expect(await collection('entities').countDocuments({ _id: { $in: near } })).toBe(near.length);
    expect(await findLinkById(test.db, link._id)).toMatchObject({ deletedAt: 70 });
  }, 60_000);

  it('may be repeated: it takes what a late turn wrote, and then finds nothing', async () => {
    const link = await linkWithData();
    await deleteLink(test.db, link, 80);
    await purgeLink(test.db, link._id);
    await collection('statDays').insertOne({ _id: `${link._id}.c.1.2026-11-01` });
    expect(await purgeLink(test.db, link._id)).toEqual({ deleted: 1, done: true });
    expect(await purgeLink(test.db, link._id)).toEqual({ deleted: 0, done: true });
  });

  it('stops between batches when asked to, and says that something is left', async () => {
    const link = await linkWithData();
    await deleteLink(test.db, link, 90);
    const signal = AbortSignal.abort();
    expect(await purgeLink(test.db, link._id, { signal })).toEqual({ deleted: 0, done: false });
    expect(await count(link._id)).toBe(3 * below.length);
  });

  it('refuses a link that is not deleted', async () => {
    const link = await linkWithData();
    await expect(purgeLink(test.db, link._id)).rejects.toThrow('is not deleted');
    expect(await count(link._id)).toBe(3 * below.length);
  });
});
