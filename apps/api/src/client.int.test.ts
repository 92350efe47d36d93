import type { AnswerOf, Client, OperationId } from '@tributary/client';
import { findLinkById, setLinkStatus } from '@tributary/database';
import type { Entity } from '@tributary/shared';
import { operationId } from './openapi/document.ts';
import { createRoutes } from './routes.ts';
import { createCheckedClient } from './testing/checked-client.ts';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { BLOG_DAY, type Seed, seedLink } from './testing/seed.ts';

const NOW = Date.parse('2026-11-10T12:00:00Z');
const DAY = '2026-11-01';
const ROUTES = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });
const ENTITIES: Entity[] = [
  { level: 'a', id: 'act_1', parent: '', title: 'Account', status: 'active' },
  ...['c1', 'c2', 'c3'].map(
    (id): Entity => ({ level: 'c', id, parent: 'act_1', title: id, status: 'active' }),
  ),
  { level: 'g', id: 'g1', parent: 'c1', title: 'Group', status: 'active' },
  { level: 'd', id: 'd1', parent: 'g1', title: 'Ad', status: 'active' },
];

let api: TestApi;
let client: Client;
let asked: string[];
let ads: Seed;
let blog: Seed;

beforeAll(async () => {
  api = await openTestApi({ name: 'client' });
  const apiKey = await api.createKey('test');
  ({ client, asked } = createCheckedClient({ url: api.url, apiKey }, ROUTES));
  const common = { now: NOW, historyDays: 9 };
  ads = await seedLink(api.db, {
    ...common,
    type: 'SOCIAL_ADS',
    account: 'act_1',
    entities: ENTITIES,
  });
  blog = await seedLink(api.db, {
    ...common,
    type: 'PORTAL1_BLOG',
    account: 'blog',
    settings: { feedUrl: 'https://feed.example.com' },
  });
  const figures = [1200, 30, 2_000_000, 61_500_000, 14_250_001, null, 900] as const;
  await ads.collect({
    source: 'd-base',
    day: DAY,
    rows: [['c1', 'g1', 'd1', '', ...figures]],
    fetchedAt: NOW,
  });
  await collectBlog(NOW);
}, 60_000);
afterAll(() => api?.close());

const collectBlog = (fetchedAt: number) =>
  blog.collect({ source: 'blog-days', set: 'blog', day: DAY, rows: [BLOG_DAY], fetchedAt });
const adsId = () => ads.link._id;
const blogId = () => blog.link._id;
const range = { start: DAY, end: DAY };

/** Each operation, in an order in which they build on each other. A route without one of these does not compile. */
const CALLS: { [Id in OperationId]: () => Promise<{ data: AnswerOf<Id> | string }> } = {
  getDataAdAccount: () => client.getDataAdAccount({ id: adsId(), value: 'act_1', ...range }),
  getDataCampaign: () => client.getDataCampaign({ id: adsId(), value: 'c1', ...range }),
  getDataAdGroup: () => client.getDataAdGroup({ id: adsId(), value: 'g1', ...range }),
  getDataAds: () => client.getDataAds({ id: adsId(), value: 'd1', ...range }),
  getDataBlogPortal1: () => client.getDataBlogPortal1({ id: blogId(), ...range }),
  postComment: () => client.postComment({ body: { key: 'k', title: 'T', contents: 'C' } }),
  getComment: () => client.getComment({ key: 'k' }),
  putComment: () => client.putComment({ body: { key: 'k', idx: 1, title: 'U', contents: 'D' } }),
  deleteComment: () => client.deleteComment({ key: 'k', idx: 1 }),
  postLink: () =>
    client.postLink({
      body: { type: 'SOCIAL_ADS', title: 'New', credentials: { accessToken: 'token' } },
    }),
  getLink: () => client.getLink({ tag: '' }),
  putLink: () => client.putLink({ id: adsId(), title: 'Renamed' }),
  putLinkCredentials: () =>
    client.putLinkCredentials({ id: adsId(), body: { credentials: { accessToken: 'other' } } }),
  deleteLink: async () => client.deleteLink({ id: (await linkOf('New')).id }),
  getLinkEntities: () => client.getLinkEntities({ id: adsId(), level: 'campaign' }),
  getLinkCoverage: () => client.getLinkCoverage({ id: adsId(), ...range }),
  getLinkHealth: () => client.getLinkHealth({ id: adsId() }),
  getLinkSchedule: () => client.getLinkSchedule({ id: adsId() }),
  putLinkSchedule: () =>
    client.putLinkSchedule({ id: adsId(), body: { paused: false, historyDays: 9 } }),
  postLinkImport: () =>
    client.postLinkImport({
      id: blogId(),
      contentType: 'application/json',
      body: JSON.stringify({ days: [{ date: DAY, ...BLOG_DAY }] }),
    }),
  getLinkRevisions: () => client.getLinkRevisions({ id: adsId(), level: 'campaign', ...range }),
  postRefresh: () => client.postRefresh({ body: { id: blogId(), ...range } }),
  getRefreshRun: async () => {
    const { data } = await client.postRefresh({ body: { id: adsId(), ...range } });
    return client.getRefreshRun({ run: data.id });
  },
  getChanges: () => client.getChanges({ limit: 1 }),
};

async function linkOf(title: string) {
  const { data } = await client.getLink();
  const link = data.find((one) => one.title === title);
  if (!link) throw new Error(`No link ${title}`);
  return link;
}

test('every operation answers through the client, and there is a call for every route', async () => {
  expect(Object.keys(CALLS).sort()).toEqual(ROUTES.map(operationId).sort());
  for (const [id, work] of Object.entries(CALLS)) {
    asked.length = 0;
    const { data } = await work();
    const route = ROUTES.find((one) => operationId(one) === id);
    const path = new RegExp(`^${route?.method} ${route?.path.replace(/\{\w+\}/, '[^/]+')}$`);
    expect(asked.at(-1)).toMatch(path);
    expect([id, data === undefined]).toEqual([id, route?.response === undefined]);
  }
});

test('a comment that was changed since is not overwritten', async () => {
  const comment = { key: 'versions', title: 'T', contents: 'C' };
  const { data, etag } = await client.postComment({ body: comment });
  const body = { ...comment, idx: data.idx, contents: 'D' };
  const changed = await client.putComment({ body }, { ifMatch: etag });
  const late = client.putComment({ body: { ...body, contents: 'E' } }, { ifMatch: etag });
  await expect(late).rejects.toMatchObject({ code: 'precondition_failed' });
  const place = { key: comment.key, idx: data.idx };
  await client.deleteComment(place, { ifMatch: changed.etag });
});

test('figures come through as they are stored, as JSON and as CSV, with how good they are', async () => {
  const question = { id: adsId(), value: 'd1', ...range };
  const { data, state, asOf } = await client.getDataAds(question);
  expect(data.data).toMatchObject({ impressions: 1200, conversions: 2, spend: 14.250001 });
  expect([state, asOf]).toEqual(['provisional', '2026-11-10T12:00:00.000Z']);
  const table = await client.getDataAds(question, { as: 'csv' });
  expect(table.data).toContain(`\r\n${DAY},1200,30,2,61.5,14.250001,900,`);
  const wide = await client.getDataBlogPortal1({ id: blogId(), start: DAY, end: '2026-11-04' });
  expect(wide).toMatchObject({
    state: 'partial',
    missing: { spans: [{ what: 'days', from: '2026-11-02', to: '2026-11-04' }], count: 3 },
  });
});

test('an answer that did not change is not sent again', async () => {
  const question = { id: adsId(), value: 'd1', ...range };
  for (const as of ['json', 'csv'] as const) {
    const { etag } = await client.getDataAds(question, { as });
    const again = await client.getDataAds(question, { as, ifNoneMatch: etag });
    expect(again).toMatchObject({ notModified: true, status: 304, etag, state: 'provisional' });
  }
});

test('entries are those of all pages', async () => {
  asked.length = 0;
  const found: string[] = [];
  const pages = client.entriesOf('getLinkEntities', { id: adsId(), level: 'campaign', limit: 1 });
  for await (const { id } of pages) found.push(id);
  expect(found).toEqual(['c1', 'c2', 'c3']);
  expect(asked).toHaveLength(3);
});

test('the feed is followed to its end, and from a kept cursor on there is only what is new', async () => {
  const read = async (cursor?: string) => {
    const pages = [];
    for await (const page of client.followChanges({ cursor, limit: 1 })) pages.push(page);
    return pages;
  };
  const all = await read();
  expect(all.flatMap(({ changes }) => changes).map(({ id }) => id)).toContain(blogId());
  expect(await read(all.at(-1)?.cursor)).toEqual([]);
});

test('an error is what the API says it is', async () => {
  const question = { id: adsId(), value: 'd1', start: '2026-11-31', end: '2026-11-01' };
  const error = await client.getDataAds(question).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: 'ProblemError',
    code: 'invalid_request',
    status: 400,
    requestId: expect.stringMatching(/^[\da-f-]{36}$/),
    errors: [{ in: 'query', name: 'start', message: expect.stringContaining("'2026-11-31'") }],
  });
  const stranger = createCheckedClient({ url: api.url, apiKey: 'wrong' }, ROUTES).client;
  await expect(stranger.getLink()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
  await expect(client.getDataAds({ ...question, ...range, id: 'none' })).rejects.toMatchObject({
    code: 'link_not_found',
  });
});

test('a repetition under the same key is the same answer', async () => {
  const body = { key: 'once', title: 'T', contents: 'C' };
  const ask = () => client.postComment({ body }, { idempotencyKey: 'comment-1' });
  const [first, second] = [await ask(), await ask()];
  expect(second.data).toEqual(first.data);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
});

test('a refresh is waited for until the days were read', async () => {
  api.clock.set(NOW + 10 * 60_000);
  const { data } = await client.postRefresh({ body: { id: blogId(), ...range } });
  expect(data.percent).toBe(0);
  await collectBlog(NOW + 11 * 60_000);
  expect(await client.waitForRefresh(data.id)).toMatchObject({ percent: 100, failed: 0 });
});

test('a refresh of a link that waits for a person is not waited for', async () => {
  api.clock.set(NOW + 20 * 60_000);
  const { data } = await client.postRefresh({ body: { id: adsId(), ...range } });
  const reason = { code: 'grant_revoked', message: 'Connect again.' };
  const gen = (await findLinkById(api.db, adsId()))?.gen ?? -1;
  await setLinkStatus(api.db, adsId(), { status: 'Disconnect', reason, gen });
  const run = await client.waitForRefresh(data.id);
  expect(run.links).toEqual([{ id: adsId(), status: 'Disconnect', reason }]);
});
