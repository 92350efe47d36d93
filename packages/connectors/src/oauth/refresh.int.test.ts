import { AuthLostError, FatalError, RateLimitedError, RetryableError } from '@tributary/runtime';
import { createAgent } from '../http/agent.ts';
import { createHttpClient } from '../http/http-client.ts';
import { createOpenBudget } from '../testing/contract.ts';
import { json, type ScriptedServer, startScriptedServer } from '../testing/scripted-server.ts';
import { refreshToken } from './refresh.ts';

const NOW = Date.UTC(2026, 10, 21);
const SECRETS = ['client-secret', 'refresh-secret', 'access-secret'];

let server: ScriptedServer;
let agent: ReturnType<typeof createAgent>;
let budget: ReturnType<typeof createOpenBudget>;
beforeEach(async () => {
  server = await startScriptedServer();
  agent = createAgent();
  budget = createOpenBudget();
});
afterEach(async () => {
  await agent.destroy();
  await server.close();
});

const refresh = (grantLostWords?: readonly string[]) =>
  refreshToken(
    {
      http: createHttpClient({ dispatcher: agent, repeatWaitMs: 5 }),
      tokenUrl: `${server.url}/token`,
      budget: budget.budget,
      clock: { now: () => NOW },
    },
    {
      clientId: 'client',
      clientSecret: 'client-secret',
      refreshToken: 'refresh-secret',
      key: 'X/client/-/token',
      signal: new AbortController().signal,
      ...(grantLostWords && { grantLostWords }),
    },
  );

test('asks by form, and tells when the token ends', async () => {
  server.answer((_seen, res) => json(res, { access_token: 'access-secret', expires_in: '3599' }));
  expect(await refresh()).toEqual({ token: 'access-secret', expiresAt: NOW + 3_599_000 });
  const [seen] = server.seen;
  expect(seen?.method).toBe('POST');
  expect(Object.fromEntries(new URLSearchParams(seen?.body))).toEqual({
    grant_type: 'refresh_token',
    client_id: 'client',
    client_secret: 'client-secret',
    refresh_token: 'refresh-secret',
  });
  expect(budget.taken).toEqual(['X/client/-/token']);
});

test.each([
  ['a new one', 'next', { refreshToken: 'next' }],
  ['the same one', 'refresh-secret', {}],
])('gives a refresh token on only when the answer holds %s', async (_name, sent, expected) => {
  server.answer((_seen, res) => json(res, { access_token: 'a', refresh_token: sent }));
  expect(await refresh()).toEqual({ token: 'a', expiresAt: NOW + 3_600_000, ...expected });
});

test.each([
  [400, { error: 'invalid_grant', error_description: 'refresh-secret expired' }, AuthLostError],
  [200, { error: 'invalid_grant' }, AuthLostError],
  [401, { error: 'invalid_client' }, AuthLostError],
  [400, { error: 'invalid_request' }, FatalError],
  [400, { error: 'Weird <b>client-secret</b>' }, FatalError],
  [503, { error: 'temporarily_unavailable' }, RetryableError],
  [400, { message: 'no' }, RetryableError],
  [200, { expires_in: 3600 }, RetryableError],
  [200, { access_token: '', expires_in: 3600 }, RetryableError],
  [200, { access_token: 'a', expires_in: -1 }, RetryableError],
])(
  'takes %i %j as what its word says and quotes nothing of the answer',
  async (status, body, kind) => {
    server.answer((_seen, res) => json(res, body, status));
    const error: Error = await refresh().then(
      () => Promise.reject(new Error('It was not refused')),
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(kind);
    for (const secret of SECRETS) expect(`${error.stack}`).not.toContain(secret);
  },
);

test('takes a word that the server has of its own for a lost grant as one', async () => {
  server.answer((_seen, res) => json(res, { error: 'invalid_request' }));
  await expect(refresh(['invalid_request'])).rejects.toMatchObject({ code: 'grant_rejected' });
});

test('blocks the budget as long as a 429 asks', async () => {
  server.answer((_seen, res) => json(res, {}, 429, { 'retry-after': '7' }));
  await expect(refresh()).rejects.toBeInstanceOf(RateLimitedError);
  expect([...budget.blocked]).toEqual([['X/client/-/token', NOW + 7_000]]);
});

test.each([
  [['access-secret']],
  ['access-secret'],
  [{ access_token: { token: 'access-secret' } }],
  [{ access_token: 'access-secret', expires_in: 0, refresh_token: ['refresh-secret'] }],
])('nothing of an answer that is none is told: %j', async (body) => {
  server.answer((_seen, res) => json(res, body));
  const error: unknown = await refresh().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RetryableError);
  expect(error).toMatchObject({ code: 'malformed_answer' });
  for (const secret of SECRETS) expect(`${(error as Error).message}`).not.toContain(secret);
});
