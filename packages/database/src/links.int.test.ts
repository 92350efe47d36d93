import { deleteLink } from './delete-link.ts';
import { setLinkStatus } from './link-status.ts';
import {
  createLink,
  findLink,
  findLinkById,
  listLinks,
  type NewLink,
  updateLink,
} from './links.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('links');
}, 60_000);
afterAll(() => test.drop());

const create = (tenant: string, more: Partial<NewLink> = {}) =>
  createLink(test.db, {
    tenant,
    type: 'SOCIAL_ADS',
    title: 'Shop',
    tag: '',
    settings: { historyDays: 400 },
    now: 1000,
    ...more,
  });

describe('createLink', () => {
  it('stores a link that waits for its first turn, under a random id', async () => {
    const link = await create('new');
    expect(link).toEqual({
      _id: expect.stringMatching(/^[a-z2-7]{16}$/) as string,
      tenant: 'new',
      type: 'SOCIAL_ADS',
      title: 'Shop',
      tag: '',
      status: 'Linking',
      reason: null,
      statusSince: 1000,
      settings: { historyDays: 400 },
      gen: 0,
      createdAt: 1000,
    });
    expect(await findLink(test.db, 'new', link._id)).toEqual(link);
  });

  it('stores nothing when the settings hold an operator', async () => {
    await expect(create('bad', { settings: { conversion: { $gt: '' } } })).rejects.toThrow(
      "settings.conversion has the forbidden key '$gt'",
    );
    expect(await listLinks(test.db, 'bad')).toEqual([]);
  });
});

describe('listLinks', () => {
  it('lists by creation, then id', async () => {
    const made = [];
    for (const now of [3000, 1000, 1000, 2000]) made.push(await create('order', { now }));
    const expected = made
      .toSorted((a, b) => a.createdAt - b.createdAt || (a._id < b._id ? -1 : 1))
      .map(({ _id }) => _id);
    expect((await listLinks(test.db, 'order')).map(({ _id }) => _id)).toEqual(expected);
  });

  it('reads no more than a page, from behind the link named', async () => {
    for (const now of [1000, 2000, 2000, 2000, 3000]) await create('page', { now });
    const whole = await listLinks(test.db, 'page');
    for (const [index, after] of whole.entries()) {
      const page = await listLinks(test.db, 'page', { after, limit: 2 });
      expect(page).toEqual(whole.slice(index + 1, index + 3));
    }
    const after = { createdAt: 2000, _id: 'm' };
    test.takeCommands();
    await listLinks(test.db, 'page', { tag: '', after, limit: 2 });
    const filter = { tenant: 'page', tag: '', createdAt: { $gte: 2000 } };
    expect(test.takeCommands()).toMatchObject([{ find: 'links', filter, limit: 2 }]);
  });

  it('takes a tag exactly, and an empty one as "without a tag"', async () => {
    for (const tag of ['', 'a', 'A', 'a']) await create('tags', { tag });
    expect(await listLinks(test.db, 'tags')).toHaveLength(4);
    expect(await listLinks(test.db, 'tags', { tag: 'a' })).toHaveLength(2);
    expect(await listLinks(test.db, 'tags', { tag: '' })).toHaveLength(1);
    expect(await listLinks(test.db, 'tags', { tag: 'b' })).toEqual([]);
  });
});

describe('updateLink', () => {
  it('changes what is given and nothing else', async () => {
    const link = await create('put', { tag: 'a' });
    expect(await updateLink(test.db, link, { title: 'New' })).toEqual({ ...link, title: 'New' });
    const updated = await updateLink(test.db, link, { tag: '' });
    expect(updated).toEqual({ ...link, title: 'New', tag: '' });
    expect(await updateLink(test.db, link, {})).toEqual(updated);
  });

  it('finds nothing once the link is deleted', async () => {
    const link = await create('put-deleted');
    await deleteLink(test.db, link, 2000);
    expect(await updateLink(test.db, link, { title: 'New' })).toBeUndefined();
    expect((await findLinkById(test.db, link._id))?.title).toBe('Shop');
  });
});

describe('setLinkStatus', () => {
  it('counts for its generation only', async () => {
    const link = await create('status');
    const reason = { code: 'grant_revoked', message: 'Connect the account again.' };
    const set = (gen: number) =>
      setLinkStatus(test.db, link._id, { status: 'Disconnect', reason, gen });
    expect(await set(1)).toBe(false);
    expect((await findLinkById(test.db, link._id))?.status).toBe('Linking');
    expect(await set(0)).toBe(true);
    expect(await set(0)).toBe(true); // saying it again is no failure
    expect(await findLinkById(test.db, link._id)).toMatchObject({ status: 'Disconnect', reason });
  });
});
