import {
  type Account,
  accountKey,
  beginTurn,
  endTurn,
  findAccount,
  type LaneQuiet,
  LINK_ACCOUNT,
  markProgress,
  saveAccounts,
  saveTreeState,
  setLinkStatus,
  wantDiscovery,
} from '@tributary/database';
import {
  type HealthProblem,
  type LinkHealth,
  LinkHealthSchema,
  ProblemSchema,
} from '@tributary/shared';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { type Seed, seedLink } from './testing/seed.ts';

const NOW = Date.parse('2026-11-10T12:00:00Z');
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'health', now: new Date(NOW).toISOString() });
});
afterAll(() => api?.close());

const addLink = (tenant = 'test') =>
  seedLink(api.db, { type: 'SOCIAL_ADS', account: '1', now: NOW, historyDays: 10, tenant });
const healthOf = async (id: string): Promise<LinkHealth> =>
  LinkHealthSchema.parse((await api.ask(`/link/health?id=${id}`)).json());

/** Ends a turn of the account the way the worker does. */
async function turn(
  { account }: Seed,
  end: {
    quiet?: LaneQuiet;
    failing?: NonNullable<Account['failing']>;
    readAt?: number;
  },
) {
  const { readAt, ...rest } = end;
  const begun = await beginTurn(api.db, { id: account, lane: 'fresh', busyUntil: NOW });
  const run = begun?.run ?? 0;
  if (readAt !== undefined) await markProgress(api.db, { id: account, lane: 'fresh', run, readAt });
  await endTurn(api.db, { id: account, lane: 'fresh', run, ...rest });
}

const only = ({ problems: [first, ...more], problemCount }: LinkHealth): HealthProblem => {
  expect([more, problemCount]).toEqual([[], 1]);
  if (!first) throw new Error('There is no problem');
  return first;
};

it('a record of which everything was read is healthy', async () => {
  const seed = await addLink();
  await setLinkStatus(api.db, seed.link._id, {
    status: 'Completed',
    reason: null,
    gen: 0,
    now: NOW - 60_000,
  });
  await turn(seed, { readAt: NOW - 30_000, failing: { at: NOW - 20_000, sources: [] } });
  expect(await healthOf(seed.link._id)).toEqual({
    id: seed.link._id,
    healthy: true,
    status: 'Completed',
    reason: null,
    since: at(-1),
    paused: false,
    pausedSince: null,
    nextPlanAt: at(0),
    problems: [],
    problemCount: 0,
    accounts: [
      {
        id: '1',
        title: 'Account',
        status: 'active',
        zone: 'Asia/Seoul',
        currency: 'KRW',
        frozenBefore: null,
        lastReadAt: '2026-11-10T11:59:30.000Z',
        working: false,
        nextPlanAt: at(0),
        failing: { asOf: '2026-11-10T11:59:40.000Z', sources: [] },
        quiet: [],
        budget: { waitsUntil: null },
      },
    ],
  });
});

it.each(['grant_rejected', 'scope_missing', 'no_account'])(
  'a record that waits for a person says so, because of %s',
  async (code) => {
    const { link } = await addLink();
    const reason = { code, message: 'Connect again.' };
    await setLinkStatus(api.db, link._id, {
      status: 'Disconnect',
      reason,
      gen: 0,
      now: NOW - 60_000,
    });
    const health = await healthOf(link._id);
    expect(health).toMatchObject({ healthy: false, status: 'Disconnect', reason, since: at(-1) });
    expect(health.nextPlanAt).toBeNull();
    expect(only(health)).toEqual({
      code: 'disconnected',
      severity: 'error',
      cause: code,
      message: 'Connect again.',
      since: at(-1),
    });
  },
);

it('a platform that is down is told by source, with its days and the next attempt', async () => {
  const seed = await addLink();
  const source = { source: 'c-age', code: 'provider_down', detail: 'The platform is down.' };
  const days = { cells: 3, from: '2026-11-01', to: '2026-11-09' };
  const failing = { at: NOW - 1, sources: [{ ...source, ...days, retryAt: NOW + 300_000 }] };
  await turn(seed, { failing });
  const health = await healthOf(seed.link._id);
  expect(health.healthy).toBe(false);
  expect(only(health)).toEqual({
    code: 'source_failing',
    severity: 'error',
    account: '1',
    source: 'c-age',
    cause: 'provider_down',
    message: '3 days wait: The platform is down.',
    nextAttemptAt: at(5),
  });
  expect(health.accounts[0]?.failing.sources).toEqual([
    { ...source, ...days, nextAttemptAt: at(5) },
  ]);

  // An older turn that ends later does not hide it; one that read everything does.
  await turn(seed, { failing: { at: NOW - 2, sources: [] } });
  expect((await healthOf(seed.link._id)).healthy).toBe(false);
  await turn(seed, { failing: { at: NOW, sources: [] } });
  expect((await healthOf(seed.link._id)).healthy).toBe(true);
});

it('an account of which a scope is missing fails alone, and so does the list of accounts', async () => {
  const seed = await addLink();
  const tree = {
    code: 'scope_missing',
    detail: 'Grant ads_read.',
    retryAt: NOW + 60_000,
    tries: 1,
  };
  await saveTreeState(api.db, seed.account, { tree });
  expect(only(await healthOf(seed.link._id))).toEqual({
    code: 'account_failing',
    severity: 'error',
    account: '1',
    cause: 'scope_missing',
    message: 'Grant ads_read.',
    nextAttemptAt: at(1),
  });
  await saveTreeState(api.db, seed.account, { tree: { fetchedAt: NOW } });
  await wantDiscovery(api.db, seed.link, NOW);
  await saveTreeState(api.db, accountKey(seed.link._id, LINK_ACCOUNT), { tree });
  expect(only(await healthOf(seed.link._id))).toMatchObject({
    code: 'accounts_unreadable',
    cause: 'scope_missing',
  });
});

it('a closed account and a changed currency are told and are no error', async () => {
  const seed = await addLink();
  const listed = {
    id: '2',
    title: 'Two',
    zone: 'Asia/Seoul',
    currency: 'USD',
    status: 'active' as const,
  };
  const source = {
    source: 'c-age',
    code: 'x',
    detail: 'Y.',
    cells: 1,
    from: '2026-11-01',
    to: '2026-11-01',
  };
  await turn(seed, { failing: { at: NOW, sources: [source] } });
  await saveAccounts(api.db, seed.link, [listed], { now: NOW, historyDays: 10 });
  await saveAccounts(api.db, seed.link, [{ ...listed, currency: 'EUR' }], {
    now: NOW,
    historyDays: 10,
  });
  const health = await healthOf(seed.link._id);
  expect(health.healthy).toBe(true);
  expect(health.problems.map(({ code, severity, account }) => [code, severity, account])).toEqual([
    ['account_closed', 'notice', '1'],
    ['figures_frozen', 'notice', '2'],
  ]);
  expect(
    health.accounts.map(({ status, currency, frozenBefore, nextPlanAt }) => [
      status,
      currency,
      frozenBefore,
      nextPlanAt,
    ]),
  ).toEqual([
    ['closed', 'KRW', null, null],
    ['active', 'EUR', '2026-11-10', at(0)],
  ]);
  expect(health.accounts[0]?.failing.sources).toEqual([]);
});

it('a lane that rests says until when and why: the platform asked to wait, or turns kept dying', async () => {
  const seed = await addLink();
  await turn(seed, {
    quiet: { until: NOW + 120_000, code: 'rate_limited', detail: 'Too many calls.' },
  });
  const waiting = await healthOf(seed.link._id);
  expect(waiting.healthy).toBe(true);
  expect(only(waiting)).toMatchObject({
    code: 'waiting',
    cause: 'rate_limited',
    lane: 'fresh',
    nextAttemptAt: at(2),
  });
  expect(waiting.accounts[0]).toMatchObject({
    quiet: [{ lane: 'fresh', until: at(2), code: 'rate_limited', detail: 'Too many calls.' }],
    budget: { waitsUntil: at(2) },
  });
  await turn(seed, { quiet: { until: NOW + 240_000, code: 'poisoned', detail: 'Turns die.' } });
  const poisoned = await healthOf(seed.link._id);
  expect(poisoned).toMatchObject({
    healthy: false,
    accounts: [{ quiet: [{ code: 'poisoned' }], budget: { waitsUntil: null } }],
  });
  expect(only(poisoned)).toMatchObject({
    code: 'poisoned',
    severity: 'error',
    message: 'Turns die.',
  });
  api.clock.set(NOW + 240_000);
  const after = await healthOf(seed.link._id);
  api.clock.set(NOW);
  expect(after).toMatchObject({
    healthy: true,
    problemCount: 0,
    accounts: [{ quiet: [] }],
  });
});

it('of a paused record nothing is attempted, and it is as healthy as it was', async () => {
  const seed = await addLink();
  const source = {
    source: 'c-age',
    code: 'timeout',
    detail: 'Too slow.',
    cells: 1,
    from: '2026-11-01',
    to: '2026-11-01',
  };
  await turn(seed, { failing: { at: NOW, sources: [{ ...source, retryAt: NOW + 60_000 }] } });
  const body = JSON.stringify({ paused: true });
  const headers = { 'Content-Type': 'application/json' };
  await api.ask(`/link/schedule?id=${seed.link._id}`, { method: 'PUT', body, headers });
  const health = await healthOf(seed.link._id);
  expect(health).toMatchObject({
    healthy: false,
    paused: true,
    pausedSince: at(0),
    nextPlanAt: null,
  });
  expect(only(health).nextAttemptAt).toBeUndefined();
  expect(health.accounts[0]).toMatchObject({
    nextPlanAt: null,
    failing: { sources: [{ nextAttemptAt: null }] },
  });
});

it('a thousand accounts that all fail are told in a bounded answer of two reads', async () => {
  const seed = await addLink();
  const stored = await api.db.db.collection<Account>('accounts').findOne({ _id: seed.account });
  if (!stored) throw new Error('No account');
  const sources = Array.from({ length: 22 }, (_, index) => ({
    source: `source-${index}`,
    code: 'provider_down',
    detail: 'x'.repeat(300),
    cells: 400,
    from: '2025-10-06',
    to: '2026-11-09',
    retryAt: NOW,
  }));
  const many = Array.from({ length: 999 }, (_, index) => ({
    ...stored,
    _id: accountKey(seed.link._id, `m${index}`),
    account: `m${index}`,
    failing: { at: NOW, sources },
  }));
  await api.db.db.collection<Account>('accounts').insertMany(many);
  const answer = await api.ask(`/link/health?id=${seed.link._id}`);
  const health = LinkHealthSchema.parse(answer.json());
  expect(health).toMatchObject({ healthy: false, problemCount: 999 * 22 });
  expect(health.problems).toHaveLength(100);
  expect(health.accounts).toHaveLength(1000);
  expect(answer.bytes.length).toBeLessThan(16 * 1024 * 1024);
}, 60_000);

it("another tenant's record is not found", async () => {
  const { link, account } = await addLink('other');
  const answer = await api.ask(`/link/health?id=${link._id}`);
  expect([answer.status, ProblemSchema.parse(answer.json()).code]).toEqual([404, 'link_not_found']);
  expect(await findAccount(api.db, account)).toBeDefined();
});
