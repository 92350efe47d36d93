import type { Entity, Level } from '@tributary/shared';
import {
  childTree,
  countEntities,
  entityKey,
  findEntity,
  listEntities,
  removeMissing,
  upsertEntities,
} from './entities.ts';
import { type AuthorizedLink, createLink } from './links.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
let link: AuthorizedLink;
beforeAll(async () => {
  test = await openTestDatabase('entities');
}, 60_000);
afterAll(() => test.drop());
beforeEach(async () => {
  const input = { tenant: 't1', type: 'SOCIAL_ADS', title: 'x', tag: '', settings: {} } as const;
  link = await createLink(test.db, { ...input, now: 1 });
});

const account = () => `${link._id}.acc`;
const entity = (level: Level, id: string, more: Partial<Entity> = {}): Entity => ({
  level,
  id,
  parent: level === 'a' ? '' : 'p',
  title: `Title ${id}`,
  status: 'active',
  ...more,
});
const upsert = (entities: Entity[], more: Partial<Parameters<typeof upsertEntities>[1]> = {}) =>
  upsertEntities(test.db, {
    tenant: 't1',
    link: link._id,
    account: account(),
    entities,
    now: 10,
    ...more,
  });
const seenKeys = (entities: Entity[]) =>
  new Set(entities.map(({ level, id }) => entityKey(link._id, level, id)));
const campaign = (id: string) => ({
  id,
  title: `Title ${id}`,
  level: 'campaign',
  status: 'active',
});
const writes = () =>
  test.takeCommands().filter((command) => 'update' in command || 'insert' in command);

describe('upsertEntities', () => {
  it('writes what is new or different and nothing else', async () => {
    const tree = Array.from({ length: 1200 }, (_, index) => entity('d', String(index)));
    expect(await upsert(tree)).toEqual({ inserted: 1200, modified: 0, unchanged: 0 });
    test.takeCommands();
    expect(await upsert(tree, { now: 20 })).toEqual({ inserted: 0, modified: 0, unchanged: 1200 });
    expect(writes()).toEqual([]);

    const changed = tree.map((one) => (one.id === '7' ? { ...one, title: 'New' } : one));
    const counts = await upsert([...changed, entity('d', 'x')], { now: 30 });
    expect(counts).toEqual({ inserted: 1, modified: 1, unchanged: 1199 });
    const sent = writes();
    expect(sent).toHaveLength(2); // one in the first batch, one in the last
    expect(sent.every((command) => (command.updates as unknown[]).length === 1)).toBe(true);
  });

  it.each([{ title: 'b' }, { status: 'paused' }, { parent: 'q' }] as const)(
    'sees a change of %j',
    async (change) => {
      await upsert([entity('c', '1')]);
      expect((await upsert([entity('c', '1', change)])).modified).toBe(1);
      expect(await findEntity(test.db, link, 'c', '1')).toMatchObject(change);
    },
  );

  it('stores each entity once when ten readings of the same new tree race', async () => {
    const tree = Array.from({ length: 200 }, (_, index) => entity('g', String(index)));
    await Promise.all(Array.from({ length: 10 }, () => upsert(tree)));
    expect(await countEntities(test.db, account())).toEqual({ c: 0, g: 200, d: 0 });
  });

  it('takes the last of an id that comes twice on a page', async () => {
    await upsert([entity('c', '1'), entity('c', '1', { title: 'later' })]);
    expect((await findEntity(test.db, link, 'c', '1'))?.title).toBe('later');
  });

  it('never overwrites a document of the same key that belongs to another tenant', async () => {
    await upsert([entity('c', '1')]);
    await expect(
      upsert([entity('c', '1', { title: 'stolen' })], { tenant: 't2' }),
    ).rejects.toMatchObject({ code: 11_000 });
    expect((await findEntity(test.db, link, 'c', '1'))?.title).toBe('Title 1');
  });
});

describe('removeMissing', () => {
  it('leaves alone what a newer reading has found since', async () => {
    await upsert([entity('c', 'old')]);
    await upsert([entity('c', 'new')], { now: 30 });
    const late = { account: account(), seen: seenKeys([entity('c', 'old')]), now: 20 };
    expect(await removeMissing(test.db, late)).toBe(0);
  });

  it('marks what a complete reading did not hold, once, and deletes nothing', async () => {
    const tree = [entity('c', '1'), entity('c', '2'), entity('g', '3')];
    await upsert(tree);
    const remove = () =>
      removeMissing(test.db, { account: account(), seen: seenKeys(tree.slice(0, 1)), now: 20 });
    expect(await remove()).toBe(2);
    expect(await remove()).toBe(0);
    expect((await findEntity(test.db, link, 'c', '1'))?.status).toBe('active');
    expect((await findEntity(test.db, link, 'g', '3'))?.status).toBe('removed');
    expect(await countEntities(test.db, account())).toEqual({ c: 1, g: 0, d: 0 });
  });

  it('leaves the other accounts of the link alone, and takes back what reappears', async () => {
    await upsert([entity('c', '1')]);
    await upsert([entity('c', '2')], { account: `${link._id}.other` });
    await removeMissing(test.db, { account: account(), seen: new Set(), now: 20 });
    expect((await findEntity(test.db, link, 'c', '2'))?.status).toBe('active');
    await upsert([entity('c', '1')]);
    expect((await findEntity(test.db, link, 'c', '1'))?.status).toBe('active');
  });
});

describe('findEntity', () => {
  it('finds by level and any id, and not on another level', async () => {
    const id = 'a.b/c%2E~ü👍';
    await upsert([entity('c', id)]);
    expect(await findEntity(test.db, link, 'c', id)).toEqual({
      id,
      level: 'c',
      account: account(),
      title: `Title ${id}`,
      status: 'active',
      parent: 'p',
    });
    expect(await findEntity(test.db, link, 'g', id)).toBeUndefined();
    expect(await findEntity(test.db, link, 'c', '\uD800')).toBeUndefined();
  });
});

describe('listEntities', () => {
  it('pages through a level in the order of the keys without loss or repetition', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `id.${index}`);
    await upsert([...ids.map((id) => entity('c', id)), entity('g', 'x')]);
    const found: string[] = [];
    let after: string | undefined;
    for (let page = 0; page < 10; page += 1) {
      const list = await listEntities(test.db, link, { level: 'c', limit: 10, after });
      found.push(...list.map(({ id }) => id));
      after = list.at(-1)?.id ?? after;
    }
    expect(found).toHaveLength(25);
    expect(new Set(found)).toEqual(new Set(ids));
  });

  it('takes one parent only, exactly', async () => {
    await upsert([entity('g', '1', { parent: 'A' }), entity('g', '2', { parent: 'a' })]);
    const list = await listEntities(test.db, link, { level: 'g', parent: 'a', limit: 10 });
    expect(list.map(({ id }) => id)).toEqual(['2']);
  });
});

describe('childTree', () => {
  it('is empty before the tree is known', async () => {
    expect(await childTree(test.db, link)).toEqual([]);
  });

  it('shows a campaign whose account is not an entity yet, under the account id', async () => {
    await upsert([entity('c', '1')], { account: `${link._id}.act%2E1` });
    expect(await childTree(test.db, link)).toEqual([
      { id: 'act.1', title: '', level: 'adAccount', status: 'unknown', child: [campaign('1')] },
    ]);
  });

  it('holds the ad accounts with their campaigns, and nothing below', async () => {
    await upsert([entity('a', 'acc', { title: 'Account' }), entity('c', '2'), entity('c', '1')]);
    await upsert([entity('g', '3'), entity('d', '4')]);
    await upsert([entity('a', 'b', { status: 'closed' })], { account: `${link._id}.b` });
    expect(await childTree(test.db, link)).toEqual([
      {
        id: 'acc',
        title: 'Account',
        level: 'adAccount',
        status: 'active',
        child: [campaign('1'), campaign('2')],
      },
      { id: 'b', title: 'Title b', level: 'adAccount', status: 'closed', child: [] },
    ]);
  });
});
