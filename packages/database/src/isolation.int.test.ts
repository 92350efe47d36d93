import { createCredentialBox } from '@tributary/runtime';
import type { ObservationRow } from '@tributary/shared';
import type { Document } from 'mongodb';
import * as api from './index.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
let link: api.AuthorizedLink;
let run: api.RefreshRun;
beforeAll(async () => {
  test = await openTestDatabase('isolation');
  link = await api.createLink(test.db, { ...LINK, tenant: 'a', now: 1 });
  await api.createComment(test.db, 'a', COMMENT);
  const asked = await api.createRun(test.db, 'a', { links: [link], now: 1 });
  if (asked.state === 'asked') run = asked.run;
  const entity = { level: 'c', id: '1', parent: 'x', title: 'Secret', status: 'active' } as const;
  await api.upsertEntities(test.db, {
    tenant: 'a',
    link: link._id,
    account: `${link._id}.x`,
    entities: [{ ...entity, level: 'a', id: 'x', parent: '' }, entity],
    now: 1,
  });
  await reviseDay();
}, 60_000);
afterAll(() => test.drop());

const DAY = '2026-09-01';
const LINK = { type: 'SOCIAL_ADS', title: 'Shop', tag: 'tag', settings: {} } as const;
const COMMENT = { key: 'k', title: 't', contents: 'c', now: 1 };
const box = createCredentialBox(`k1:${Buffer.alloc(32, 1).toString('base64')}`);

/** A final day of the link's account that was read twice, with other figures. */
async function reviseDay(): Promise<void> {
  const account = { id: 'x', title: 'A', zone: 'UTC', currency: 'KRW', status: 'active' } as const;
  const now = Date.parse('2026-11-20T12:00:00Z');
  await api.saveAccounts(test.db, link, [account], { now, historyDays: 30 });
  for (const run of [1, 2]) {
    const place = { account: `${link._id}.x`, tenant: 'a', source: 'c-base', from: DAY, to: DAY };
    const collection = api.createCollection(test.db, {
      ...place,
      run,
      fetchedAt: now + run,
      nextSeq: () => 1,
    });
    const rows: ObservationRow[] = [['1', '', '', '', run, 0, 0, 0, 5, null, 1]];
    await collection.add([{ day: DAY, set: 'c-base', rows }]);
    await collection.commit();
  }
}

/** Every call of a client, as the tenant given; what it gives of tenant `a` when called as `b`. */
function calls(db: api.Database, tenant: string): Record<string, () => Promise<unknown>> {
  const own = { ...link, tenant }; // a link object whose tenant was forged
  return {
    findLink: () => api.findLink(db, tenant, link._id),
    listLinks: () => api.listLinks(db, tenant),
    findLinks: () => api.findLinks(db, tenant, [link._id]),
    findRun: () => api.findRun(db, tenant, run._id),
    listLinksByTag: () => api.listLinks(db, tenant, { tag: 'tag' }),
    updateLink: () => api.updateLink(db, own, { title: 'Shop' }),
    readLinkAccounts: async () => (await api.readLinkAccounts(db, own)).accounts,
    findEntity: () => api.findEntity(db, own, 'c', '1'),
    listEntities: () => api.listEntities(db, own, { level: 'c', limit: 10 }),
    childTree: () => api.childTree(db, own),
    listRevisions: () => api.listRevisions(db, own, { from: DAY, to: DAY }),
    readRevision: () =>
      api.readRevision(db, own, { key: `${link._id}.x.c.${DAY}.0000000001.0000000002` }),
    listComments: () => api.listComments(db, tenant),
    listCommentsByKey: () => api.listComments(db, tenant, { key: 'k' }),
    updateComment: () => api.updateComment(db, tenant, { ...COMMENT, idx: 1 }),
    listApiKeys: () => api.listApiKeys(db, { tenant }),
    deleteComment: () => api.deleteComment(db, tenant, { key: 'k', idx: 1 }),
    saveCredentials: () => api.saveCredentials(db, box, own, { token: 'x' }, 1),
    deleteLink: () => api.deleteLink(db, own, 5),
  };
}

const names = Object.keys(calls({} as api.Database, 'names')); // nothing is called
const isNothing = (value: unknown) =>
  value === undefined || value === false || (Array.isArray(value) && value.length === 0);

describe('another tenant', () => {
  it.each(names)('gets nothing and changes nothing through %s', async (name) => {
    const before = await snapshot();
    const value = await calls(test.db, 'b')[name]?.();
    expect(isNothing(value)).toBe(true);
    expect(await snapshot()).toEqual(before);
  });

  // The control: what the other tenant is refused is really there for its owner. Deletions come last.
  it.each(names.filter((name) => name !== 'listApiKeys'))(
    'is not simply everybody: %s',
    async (name) => {
      expect(isNothing(await calls(test.db, 'a')[name]?.())).toBe(false);
    },
  );
});

describe('no tenant', () => {
  it.each(names)('is refused by %s before anything is sent', async (name) => {
    for (const tenant of ['', ' ', null, undefined, { $ne: '' }] as unknown as string[]) {
      if (name === 'listApiKeys' && tenant === undefined) continue; // an operator's list of all
      test.takeCommands();
      await expect((async () => calls(test.db, tenant)[name]?.())()).rejects.toThrow(TypeError);
      expect(test.takeCommands()).toEqual([]);
    }
  });
});

/** Each text that a client sends, replaced by something else. */
const inputs = (db: api.Database, bad: never): Record<string, () => Promise<unknown>> => ({
  findLink: () => api.findLink(db, 'b', bad),
  findLinks: () => api.findLinks(db, 'b', [bad]),
  findRun: () => api.findRun(db, 'b', bad),
  createRun: () => api.createRun(db, 'b', { links: [{ ...link, _id: bad }], now: 1 }),
  findLinkById: () => api.findLinkById(db, bad),
  listLinks: () => api.listLinks(db, 'b', { tag: bad }),
  createLinkTitle: () => api.createLink(db, { ...LINK, tenant: 'b', title: bad, now: 1 }),
  createLinkTag: () => api.createLink(db, { ...LINK, tenant: 'b', tag: bad, now: 1 }),
  updateLinkTitle: () => api.updateLink(db, link, { title: bad }),
  updateLinkTag: () => api.updateLink(db, link, { tag: bad }),
  setLinkStatus: () => api.setLinkStatus(db, bad, { status: 'Linking', reason: null, gen: 0 }),
  purgeLink: () => api.purgeLink(db, bad),
  eraseCredentials: () => api.eraseCredentials(db, bad),
  loadCredentials: () => api.loadCredentials(db, box, bad),
  replaceToken: () => api.replaceToken(db, box, link, { seen: bad, next: {}, now: 1 }),
  findEntity: () => api.findEntity(db, link, 'c', bad),
  listEntities: () => api.listEntities(db, link, { level: 'c', parent: bad, limit: 1 }),
  listEntitiesAfter: () => api.listEntities(db, link, { level: 'c', after: bad, limit: 1 }),
  countEntities: () => api.countEntities(db, bad),
  removeMissing: () => api.removeMissing(db, { account: bad, seen: new Set(), now: 1 }),
  createCommentKey: () => api.createComment(db, 'b', { ...COMMENT, key: bad }),
  createCommentTitle: () => api.createComment(db, 'b', { ...COMMENT, title: bad }),
  createCommentContents: () => api.createComment(db, 'b', { ...COMMENT, contents: bad }),
  listComments: () => api.listComments(db, 'b', { key: bad }),
  listLinksAfter: () => api.listLinks(db, 'b', { after: { createdAt: 1, _id: bad } }),
  updateCommentKey: () => api.updateComment(db, 'b', { ...COMMENT, key: bad, idx: 1 }),
  updateCommentTitle: () => api.updateComment(db, 'b', { ...COMMENT, title: bad, idx: 1 }),
  deleteCommentKey: () => api.deleteComment(db, 'b', { key: bad, idx: 1 }),
  findApiKey: () => api.findApiKey(db, bad),
  revokeApiKey: () => api.revokeApiKey(db, bad, 1),
  beginRequest: () => api.beginRequest(db, { tenant: 'b', key: bad, fingerprint: 'f', now: 1 }),
  finishRequest: () => api.finishRequest(db, { tenant: 'b', key: bad, now: 1 }),
});

describe('operators in values', () => {
  const OPERATORS: unknown[] = [{ $ne: '' }, { $gt: '' }, { $where: '1' }, ['a'], null, 1];

  it.each(Object.keys(inputs({} as api.Database, '' as never)))(
    // nothing is called
    'never reach the driver through %s',
    async (name) => {
      for (const bad of OPERATORS) {
        test.takeCommands();
        const call = async () => inputs(test.db, bad as never)[name]?.();
        await expect(call()).rejects.toThrow(TypeError);
        expect(test.takeCommands()).toEqual([]);
      }
    },
  );

  it.each([{ $gt: 0 }, '1', 1.5, Number.NaN])('an idx of %j is refused too', async (bad) => {
    test.takeCommands();
    const idx = bad as number;
    await expect(api.deleteComment(test.db, 'b', { key: 'k', idx })).rejects.toThrow(TypeError);
    expect(test.takeCommands()).toEqual([]);
  });

  it('stay values when they are texts', async () => {
    const texts = ['{"$gt":""}', '$where', '$$ROOT', '$title', "';return true;//", 'a.$[].b'];
    test.takeCommands();
    for (const text of texts) {
      const made = await api.createComment(test.db, 'texts', {
        ...COMMENT,
        key: text,
        title: text,
      });
      expect(await api.listComments(test.db, 'texts', { key: text })).toEqual([made]);
      expect(await api.findLink(test.db, 'texts', text)).toBeUndefined();
      expect(await api.findEntity(test.db, link, 'c', text)).toBeUndefined();
    }
    const known = ['$set', '$inc', '$exists', '$gte', '$lt', '$gt', '$in', '$db', '$clusterTime'];
    for (const key of test.takeCommands().flatMap(dollarKeys)) expect(known).toContain(key);
  });
});

function dollarKeys(value: Document): string[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => [
    ...(key.startsWith('$') ? [key] : []),
    ...(typeof inner === 'object' && inner !== null ? dollarKeys(inner) : []),
  ]);
}

async function snapshot(): Promise<unknown> {
  const { db } = test.db;
  const stored = ['links', 'comments', 'entities', 'credentials', 'apiKeys'];
  return await Promise.all(
    stored.map((name) => db.collection(name).find().sort({ _id: 1 }).toArray()),
  );
}
