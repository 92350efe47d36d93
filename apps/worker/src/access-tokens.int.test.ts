import { setTimeout as wait } from 'node:timers/promises';
import type { AccessTokens, Grant, LinkAccess } from '@tributary/connectors';
import {
  type AuthorizedLink,
  loadCredentials,
  randomId,
  saveCredentials,
} from '@tributary/database';
import { createProducerConnection, createTokenLocks, waitForConnection } from '@tributary/queue';
import { AuthLostError, createLogger } from '@tributary/runtime';
import { createAccessTokens } from './access-tokens.ts';
import { openTestWorker, type TestWorker } from './testing/open-test-worker.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const HOUR_MS = 3_600_000;

let worker: TestWorker;
let redis: ReturnType<typeof createProducerConnection>[];
let prefix: string;
let link: AuthorizedLink;
/** The refresh tokens that the platform was asked with. */
let asked: string[];

beforeEach(async () => {
  worker = await openTestWorker();
  prefix = `access-tokens-${randomId()}`;
  asked = [];
  const url = process.env.REDIS_URL ?? '';
  redis = ['a', 'b'].map((name) => createProducerConnection({ url, name, logger }));
  await Promise.all(redis.map((one) => waitForConnection(one, 5_000)));
  link = await worker.link();
});
afterEach(async () => {
  const [first] = redis;
  const keys = (await first?.keys(`${prefix}:*`)) ?? [];
  if (keys.length > 0) await first?.del(...keys);
  for (const one of redis) one.disconnect();
  await worker.close();
});

/** The tokens as a process of its own has them: nothing but MongoDB and Redis is shared. */
function tokensOfProcess(index = 0): AccessTokens {
  const connection = redis[index % redis.length];
  if (!connection) throw new Error('No connection');
  const tokenLocks = createTokenLocks({ redis: connection, prefix });
  return createAccessTokens({ ...worker.deps, tokenLocks });
}

const access = (token = 'secret'): LinkAccess => ({
  link: link._id,
  credentials: { token },
  settings: {},
  signal: new AbortController().signal,
});

/** A platform that grants the tokens access-1, access-2, … for an hour each. */
async function refresh({ credentials }: LinkAccess): Promise<Grant> {
  asked.push((credentials as { token: string }).token);
  await wait(20);
  return { token: `access-${asked.length}`, expiresAt: worker.clock.time + HOUR_MS };
}

test('30 calls in two processes that need a token at once refresh it once', async () => {
  const processes = [tokensOfProcess(0), tokensOfProcess(1)];
  const wanted = Array.from({ length: 30 }, async (_, index) => {
    return await processes[index % 2]?.get(access(), refresh);
  });
  expect(new Set(await Promise.all(wanted))).toEqual(new Set(['access-1']));
  expect(asked).toEqual(['secret']);
});

test('a process that starts later uses the stored token, which lies sealed', async () => {
  await tokensOfProcess().get(access(), refresh);
  expect(await tokensOfProcess(1).get(access(), refresh)).toBe('access-1');
  expect(asked).toHaveLength(1);
  const documents = await worker.db.db.collection('credentials').find().toArray();
  expect(JSON.stringify(documents)).not.toContain('access-1');
  expect((await loadCredentials(worker.db, worker.deps.box, link._id)).access?.token).toBe(
    'access-1',
  );
});

test('a token in its last minute is refreshed, as is one that was refused, once for all', async () => {
  const [one, other] = [tokensOfProcess(0), tokensOfProcess(1)];
  await one.get(access(), refresh);
  await other.get(access(), refresh);
  worker.clock.time += HOUR_MS - 60_000;
  expect(await one.get(access(), refresh)).toBe('access-2');
  const refused = await Promise.all([
    one.get(access(), refresh, 'access-2'),
    other.get(access(), refresh, 'access-2'),
  ]);
  expect(refused).toEqual(['access-3', 'access-3']);
  expect(asked).toHaveLength(3);
});

test('a replaced refresh token is stored with the token, and asked with the next time', async () => {
  const rotate = async (given: LinkAccess): Promise<Grant> => ({
    ...(await refresh(given)),
    credentials: { token: `secret-${asked.length + 1}` },
  });
  const tokens = tokensOfProcess();
  await tokens.get(access(), rotate);
  // The turn still holds the credentials that it began with.
  await tokens.get(access(), rotate, 'access-1');
  expect(asked).toEqual(['secret', 'secret-2']);
  const stored = await loadCredentials(worker.db, worker.deps.box, link._id);
  expect(stored).toMatchObject({ value: { token: 'secret-3' }, access: { token: 'access-2' } });
});

test("a person's new credentials make an end of the old token", async () => {
  await tokensOfProcess().get(access(), refresh);
  await saveCredentials(worker.db, worker.deps.box, link, { token: 'new' }, worker.clock.time);
  expect(await tokensOfProcess(1).get(access('new'), refresh)).toBe('access-2');
  expect(asked).toEqual(['secret', 'new']);
});

test('credentials that a person gives during a refresh do not get its token', async () => {
  const tokens = tokensOfProcess();
  await tokens.get(access(), async (given) => {
    await saveCredentials(worker.db, worker.deps.box, link, { token: 'new' }, worker.clock.time);
    return await refresh(given);
  });
  const stored = await loadCredentials(worker.db, worker.deps.box, link._id);
  expect(stored.value).toEqual({ token: 'new' });
  expect(stored.access).toBeUndefined();
});

test('a grant that is gone is told to whoever asks, and stores nothing', async () => {
  const gone = () => Promise.reject(new AuthLostError('grant_rejected', 'Connect again.'));
  await expect(tokensOfProcess().get(access(), gone)).rejects.toThrow('Connect again.');
  expect(await tokensOfProcess(1).get(access(), refresh)).toBe('access-1');
});
