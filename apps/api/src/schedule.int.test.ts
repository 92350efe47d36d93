import { findAccount, nextPlanOf } from '@tributary/database';
import {
  eachDay,
  LinkCoverageSchema,
  LinkScheduleSchema,
  type ObservationRow,
  ProblemSchema,
  RefreshRunSchema,
} from '@tributary/shared';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { BLOG_DAY, type Seed, seedLink } from './testing/seed.ts';

const NOW = Date.parse('2026-11-10T12:00:00Z');

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'schedule', now: new Date(NOW).toISOString() });
});
beforeEach(() => api.clock.set(NOW));
afterAll(() => api?.close());

const addLink = (tenant = 'test') =>
  seedLink(api.db, {
    type: 'PORTAL1_BLOG',
    account: 'b',
    now: NOW,
    historyDays: 10,
    settings: { feedUrl: 'https://feed.example.com', historyDays: 10 },
    tenant,
  });

const send = (path: string, method: string, body: unknown, key?: string) =>
  api.ask(path, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(key && { key }),
  });
const put = (id: string, body: unknown, key?: string) =>
  send(`/link/schedule?id=${id}`, 'PUT', body, key);
const scheduleOf = async (id: string) =>
  LinkScheduleSchema.parse((await api.ask(`/link/schedule?id=${id}`)).json());
const data = (id: string, start: string, end: string) =>
  api.ask(`/data/blog-portal1?id=${id}&start=${start}&end=${end}`);

async function collect({ collect: one }: Seed, from: string, to: string) {
  for (const day of eachDay(from, to)) {
    await one({ source: 'blog-days', set: 'blog', day, rows: [BLOG_DAY], fetchedAt: NOW });
  }
}

it('tells when and how far back a record is collected, and changes both', async () => {
  const { link } = await addLink();
  const id = link._id;
  const running = {
    id,
    paused: false,
    pausedSince: null,
    historyDays: 10,
    nextPlanAt: '2026-11-10T12:00:00.000Z',
    accounts: [{ id: 'b', historyFrom: '2026-10-31', nextPlanAt: '2026-11-10T12:00:00.000Z' }],
  };
  expect(await scheduleOf(id)).toEqual(running);
  const paused = {
    ...running,
    paused: true,
    pausedSince: '2026-11-10T12:00:00.000Z',
    historyDays: 20,
    nextPlanAt: null,
    accounts: [{ id: 'b', historyFrom: '2026-10-21', nextPlanAt: null }],
  };
  expect((await put(id, { paused: true, historyDays: 20 })).json()).toEqual(paused);
  expect(await scheduleOf(id)).toEqual(paused);
  api.clock.set(NOW + 60_000);
  const resumed = LinkScheduleSchema.parse((await put(id, { paused: false })).json());
  expect(resumed).toMatchObject({ paused: false, pausedSince: null, historyDays: 20 });
  expect(resumed.nextPlanAt).toBe('2026-11-10T12:01:00.000Z');
});

it.each([
  [{}],
  [{ paused: 'true' }],
  [{ paused: null }],
  [{ historyDays: 0 }],
  [{ historyDays: 1121 }],
  [{ historyDays: 1.5 }],
  [{ historyDays: '30' }],
  [{ paused: true, since: 1 }],
  [[]],
])('refuses %j and changes nothing', async (body) => {
  const { link } = await addLink();
  const answer = await put(link._id, body);
  expect([answer.status, ProblemSchema.parse(answer.json()).code]).toEqual([
    400,
    'invalid_request',
  ]);
  expect(await scheduleOf(link._id)).toMatchObject({ paused: false, historyDays: 10 });
});

it("another tenant's record is not found, and reading does not need more than the scope read", async () => {
  const { link } = await addLink('other');
  for (const answer of [
    await api.ask(`/link/schedule?id=${link._id}`),
    await put(link._id, { paused: true }),
  ]) {
    expect([answer.status, ProblemSchema.parse(answer.json()).code]).toEqual([
      404,
      'link_not_found',
    ]);
  }
  const own = await addLink();
  const key = await api.createKey('test', ['read']);
  expect((await api.ask(`/link/schedule?id=${own.link._id}`, { key })).status).toBe(200);
  expect((await put(own.link._id, { paused: true }, key)).status).toBe(403);
});

it('a paused record is read as before, and says what it lacks although nothing is planned', async () => {
  const seed = await addLink();
  const id = seed.link._id;
  await collect(seed, '2026-11-01', '2026-11-04');
  const before = await data(id, '2026-11-01', '2026-11-04');
  await put(id, { paused: true });
  api.clock.set(NOW + 86_400_000);
  const after = await data(id, '2026-11-01', '2026-11-04');
  expect([after.status, after.text]).toEqual([200, before.text]);
  expect(after.headers['data-state']).toBe(before.headers['data-state']);

  const wider = await data(id, '2026-11-03', '2026-11-09');
  expect(wider.headers['data-state']).toBe('partial');
  expect(wider.headers['data-missing']).toBe('days=2026-11-05..2026-11-09; count=5');
  const nothing = await data(id, '2026-11-06', '2026-11-07');
  expect(nothing.status).toBe(409);
  expect(nothing.headers['retry-after']).toBeUndefined();
  const range = `/link/coverage?id=${id}&start=2026-11-03&end=2026-11-09`;
  const coverage = LinkCoverageSchema.parse((await api.ask(range)).json());
  expect(coverage).toMatchObject({
    pausedSince: '2026-11-10T12:00:00.000Z',
    days: { wanted: 7, collected: 2 },
  });
  await put(id, { paused: false });
  expect((await data(id, '2026-11-06', '2026-11-07')).headers['retry-after']).toBeDefined();
});

it('the day on which a record was paused stays partial while it rests, and is whole with the next reading', async () => {
  const day = '2026-11-10';
  const ad = { level: 'd', id: 'd1', parent: 'g1', title: 'D', status: 'active' } as const;
  const options = { account: '1', now: NOW, historyDays: 3, entities: [ad] } as const;
  const { link, collect: one } = await seedLink(api.db, { ...options, type: 'SOCIAL_ADS' });
  const read = (fetchedAt: number, spend: number) => {
    const row: ObservationRow = ['c1', 'g1', 'd1', '', 10, 1, 0, 0, spend, null, 9];
    return one({ source: 'd-base', day, rows: [row], fetchedAt });
  };
  const ads = () => api.ask(`/data/ads?id=${link._id}&value=d1&start=${day}&end=${day}`);
  const partsOf = async () => {
    const answer = await api.ask(`/link/coverage?id=${link._id}&start=${day}&end=${day}`);
    const { accounts } = LinkCoverageSchema.parse(answer.json());
    return accounts[0]?.days[0]?.parts?.filter(({ level }) => level === 'ad');
  };
  await read(NOW, 1_000_000);
  await put(link._id, { paused: true });
  expect((await ads()).headers['data-state']).toBe('provisional'); // the day is not over
  expect(await partsOf()).toEqual([]);

  const resumedAt = NOW + 5 * 86_400_000;
  api.clock.set(resumedAt);
  const half = await ads();
  expect(half.headers).toMatchObject({
    'data-state': 'partial',
    'data-missing': 'days=2026-11-10; count=1',
  });
  const detail = 'It was read last before the day was over';
  expect(await partsOf()).toEqual([{ level: 'ad', list: 'total', code: 'cut_off', detail }]);

  await put(link._id, { paused: false });
  await read(resumedAt, 2_000_000);
  const whole = await ads();
  expect(whole.headers['data-state']).toBe('provisional');
  expect(whole.headers['data-missing']).toBeUndefined();
  expect(whole.json()).toMatchObject({ data: { spend: 2 } });
  expect(await partsOf()).toEqual([]);
});

it('a paused record is not refreshed: alone it is refused, among others it is left out', async () => {
  const tag = 'some are paused';
  const paused = await seedLink(api.db, {
    type: 'SOCIAL_ADS',
    account: '1',
    now: NOW,
    historyDays: 9,
    tag,
  });
  await put(paused.link._id, { paused: true });
  const range = { start: '2026-11-04', end: '2026-11-05' };
  for (const body of [{ id: paused.link._id }, { tag }]) {
    const answer = await send('/refresh', 'POST', { ...body, ...range });
    const problem = ProblemSchema.parse(answer.json());
    expect([answer.status, problem.code]).toEqual([409, 'conflict']);
    expect(problem.detail).toContain('/link/schedule');
  }
  const other = await seedLink(api.db, {
    type: 'SOCIAL_ADS',
    account: '2',
    now: NOW,
    historyDays: 9,
    tag,
  });
  const run = RefreshRunSchema.parse((await send('/refresh', 'POST', { tag, ...range })).json());
  expect(run.links.map(({ id }) => id)).toEqual([other.link._id]);
  const account = await findAccount(api.db, paused.account);
  expect(account && [account.wanted, nextPlanOf(account)]).toEqual([[], undefined]);

  await put(other.link._id, { paused: true });
  const after = RefreshRunSchema.parse((await api.ask(`/refresh/${run.id}`)).json());
  expect(after).toMatchObject({ percent: 0, nextAttemptAt: null, links: [{ paused: true }] });
});

it('an import into a paused record is refused', async () => {
  const { link } = await addLink();
  await put(link._id, { paused: true });
  const answer = await send(`/link/import?id=${link._id}`, 'POST', []);
  expect([answer.status, ProblemSchema.parse(answer.json()).code]).toEqual([409, 'conflict']);
});

it('days that are no longer wanted stay readable and are not missing; wanted again they are', async () => {
  const seed = await addLink();
  const id = seed.link._id;
  await collect(seed, '2026-11-01', '2026-11-02');
  await collect(seed, '2026-11-05', '2026-11-09');
  const state = async () => {
    const { headers, json } = await data(id, '2026-11-01', '2026-11-09');
    return [headers['data-state'], headers['data-missing'], json() !== undefined];
  };
  const whole = await data(id, '2026-11-01', '2026-11-09');
  const lacks = ['partial', 'days=2026-11-03..2026-11-04; count=2', true];
  expect(await state()).toEqual(lacks);
  await put(id, { historyDays: 5 }); // from the 5th on
  expect(await state()).toEqual(['provisional', undefined, true]);
  expect((await data(id, '2026-11-01', '2026-11-09')).text).toBe(whole.text);
  await put(id, { historyDays: 10 });
  expect(await state()).toEqual(lacks);
});
