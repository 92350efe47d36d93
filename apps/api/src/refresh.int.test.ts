import { findAccount, type Link, setLinkStatus } from '@tributary/database';
import { CHANNELS, eachDay, ProblemSchema, RefreshRunSchema } from '@tributary/shared';
import { type Answer, openTestApi, type TestApi } from './testing/open-test-api.ts';
import { BLOG_DAY, type Seed, seedLink } from './testing/seed.ts';

const NOW = Date.parse('2026-11-10T12:00:00Z');
const RANGE = { start: '2026-11-04', end: '2026-11-05' };
const SOURCES = CHANNELS.PORTAL1_BLOG.sources;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'refresh' });
});
beforeEach(() => api.clock.set(NOW));
afterAll(() => api?.close());

const addLink = (
  more: { tenant?: string; tag?: string; type?: 'SOCIAL_ADS' | 'PORTAL1_DA' } = {},
) =>
  seedLink(api.db, {
    type: 'PORTAL1_BLOG',
    account: 'b',
    now: NOW,
    historyDays: 30,
    // Without a feed nothing could be asked for.
    settings: { feedUrl: 'https://feed.example.com' },
    ...more,
  });

function post(body: object, key?: string): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' };
  const text = JSON.stringify(body);
  return api.ask('/refresh', { method: 'POST', headers, body: text, ...(key && { key }) });
}

function runIn(answer: Answer) {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 202 });
  return RefreshRunSchema.parse(answer.json());
}

const wantedOf = async ({ account }: Seed) => (await findAccount(api.db, account))?.wanted;
const wish = { from: RANGE.start, to: RANGE.end, at: NOW };
const disconnect = ({ _id, gen }: Link) =>
  setLinkStatus(api.db, _id, {
    status: 'Disconnect',
    reason: { code: 'grant_revoked', message: 'Connect again.' },
    gen,
  });

describe('POST /refresh', () => {
  it('stores what is asked for, and tells where to see how far it is', async () => {
    const seed = await addLink();
    const answer = await post({ id: seed.link._id, ...RANGE });
    const run = runIn(answer);
    expect(run).toEqual({
      id: expect.any(String),
      askedAt: '2026-11-10T12:00:00.000Z',
      from: RANGE.start,
      to: RANGE.end,
      links: [{ id: seed.link._id, status: 'Linking', reason: null }],
      percent: 0,
      planned: 2 * SOURCES.length,
      done: 0,
      failed: 0,
      nextAttemptAt: '2026-11-10T12:00:00.000Z',
      failures: [],
    });
    expect(answer.headers.location).toBe(`refresh/${run.id}`);
    expect((await api.ask(`/${answer.headers.location}`)).json()).toEqual(run);
    expect(await wantedOf(seed)).toEqual([wish]);
  });

  it('asks for the last three days by default', async () => {
    const { link } = await addLink();
    expect(runIn(await post({ id: link._id }))).toMatchObject({
      from: '2026-11-08',
      to: '2026-11-10',
    });
  });

  it('takes all links with a tag, or of a type, of the own tenant', async () => {
    const tagged = [await addLink({ tag: 'shoes' }), await addLink({ tag: 'shoes' })];
    const others = [await addLink({ tag: 'Shoes' }), await addLink({ tag: 'shoes', tenant: 'x' })];
    const { links } = runIn(await post({ tag: 'shoes', ...RANGE }));
    expect(links.map(({ id }) => id)).toEqual(tagged.map(({ link }) => link._id).sort());
    for (const seed of tagged) expect(await wantedOf(seed)).toEqual([wish]);
    for (const seed of others) expect(await wantedOf(seed)).toEqual([]);
    const ads = await addLink({ type: 'SOCIAL_ADS' });
    const ofType = runIn(await post({ type: 'SOCIAL_ADS', ...RANGE }));
    expect(ofType.links.map(({ id }) => id)).toEqual([ads.link._id]);
  });

  it('takes another name of a channel and never sends it', async () => {
    const { link } = await addLink({ type: 'PORTAL1_DA' });
    const answer = await post({ type: 'OLD_DISPLAY', ...RANGE });
    expect(runIn(answer).links.map(({ id }) => id)).toEqual([link._id]);
    expect(answer.text).not.toContain('OLD_DISPLAY');
  });

  it('the same again within the minute is the same run; another range is 429 until it is over', async () => {
    const { link } = await addLink();
    const first = runIn(await post({ id: link._id, ...RANGE }));
    api.clock.set(NOW + 20_500);
    expect(runIn(await post({ id: link._id, ...RANGE })).id).toBe(first.id);
    const refused = await post({ id: link._id, start: '2026-11-01', end: RANGE.end });
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('40');
    expect(ProblemSchema.parse(refused.json()).code).toBe('rate_limited');
    api.clock.set(NOW + 60_500);
    const later = runIn(await post({ id: link._id, start: '2026-11-01', end: RANGE.end }));
    expect(later.id).not.toBe(first.id);
  });

  it('tries a link again that waits for a person', async () => {
    const { link } = await addLink();
    await disconnect(link);
    const run = runIn(await post({ id: link._id, ...RANGE }));
    expect(run.links).toEqual([{ id: link._id, status: 'Linking', reason: null }]);
    await disconnect(link);
    const [again] = RefreshRunSchema.parse((await api.ask(`/refresh/${run.id}`)).json()).links;
    expect(again).toMatchObject({ status: 'Disconnect', reason: { code: 'grant_revoked' } });
  });

  it('needs the scope refresh, and no other', async () => {
    const { link } = await addLink();
    const body = { id: link._id, ...RANGE };
    for (const scopes of [['read', 'write'], ['admin']] as const) {
      expect((await post(body, await api.createKey('test', scopes))).status).toBe(403);
    }
    const key = await api.createKey('test', ['refresh']);
    const { id } = runIn(await post(body, key));
    expect((await api.ask(`/refresh/${id}`, { key })).status).toBe(200);
  });
});

describe('GET /refresh/{run}', () => {
  it('ends at 100 % once everything was collected', async () => {
    const seed = await addLink();
    const { id } = runIn(await post({ id: seed.link._id, ...RANGE }));
    for (const day of eachDay(RANGE.start, RANGE.end)) {
      const rows = [BLOG_DAY];
      await seed.collect({ source: 'blog-days', set: 'blog', day, rows, fetchedAt: NOW + 1 });
    }
    const run = RefreshRunSchema.parse((await api.ask(`/refresh/${id}`)).json());
    expect(run).toMatchObject({ percent: 100, done: run.planned, nextAttemptAt: null });
    expect(run.planned).toBe(2);
  });

  it("another tenant's is the same 404 as an unknown one", async () => {
    const { link } = await addLink();
    const { id } = runIn(await post({ id: link._id, ...RANGE }));
    const key = await api.createKey('other');
    const details = [];
    for (const run of [id, 'nosuchrun']) {
      const answer = await api.ask(`/refresh/${run}`, { key });
      expect(answer.status).toBe(404);
      const { requestId: _, ...problem } = ProblemSchema.parse(answer.json());
      details.push(JSON.stringify(problem).replace(run, ''));
    }
    expect(details[0]).toBe(details[1]);
  });
});
