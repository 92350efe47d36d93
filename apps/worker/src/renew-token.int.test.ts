import { setTimeout as wait } from 'node:timers/promises';
import {
  type AuthorizedLink,
  accountKey,
  findLink,
  LINK_ACCOUNT,
  loadCredentials,
  randomId,
  saveCredentials,
} from '@tributary/database';
import { createProducerConnection, createTokenLocks, waitForConnection } from '@tributary/queue';
import { AuthLostError, createLogger, RetryableError } from '@tributary/runtime';
import type { WorkerDeps } from './deps.ts';
import { openLink } from './link-access.ts';
import { renewToken } from './renew-token.ts';
import { openTestWorker, type TestWorker } from './testing/open-test-worker.ts';
import { runTurn } from './turn.ts';

const signal = new AbortController().signal;
const logger = createLogger({ name: 'test', level: 'silent' });

let worker: TestWorker;
let redis: ReturnType<typeof createProducerConnection>[];
let prefix: string;
/** What the platform saw: the exchanged tokens, and those that its account list was asked with. */
let exchanged: unknown[];
let listedWith: unknown[];
let exchange: (token: string) => Promise<string | undefined>;

beforeEach(async () => {
  worker = await openTestWorker();
  prefix = `worker-renew-${randomId()}`;
  exchanged = [];
  listedWith = [];
  exchange = async (token) => (token === 'secret' ? 'renewed' : undefined);
  const url = process.env.REDIS_URL ?? '';
  redis = ['a', 'b', 'c'].map((name) => createProducerConnection({ url, name, logger }));
  await Promise.all(redis.map((one) => waitForConnection(one, 5_000)));
});
afterEach(async () => {
  const [first] = redis;
  const keys = (await first?.keys(`${prefix}:*`)) ?? [];
  if (keys.length > 0) await first?.del(...keys);
  for (const one of redis) one.disconnect();
  await worker.close();
});

/** The worker's parts as one of several processes has them, with a platform that renews. */
function processOf(index: number): WorkerDeps {
  const connection = redis[index % redis.length];
  if (!connection) throw new Error('No connection');
  return {
    ...worker.deps,
    tokenLocks: createTokenLocks({ redis: connection, prefix }),
    connectors: {
      SOCIAL_ADS: {
        ...worker.script.connector,
        async listAccounts(access) {
          listedWith.push(access.credentials);
          return await worker.script.connector.listAccounts(access);
        },
        async renew({ credentials }) {
          const { token } = credentials as { token: string };
          const renewed = await exchange(token);
          if (renewed === undefined) return undefined;
          exchanged.push(token);
          return { token: renewed };
        },
      },
    },
  };
}

const discover = (link: AuthorizedLink, index = 0) =>
  runTurn(
    processOf(index),
    { v: 1, account: accountKey(link._id, LINK_ACCOUNT), lane: 'fresh' },
    signal,
  );
const storedOf = async ({ _id }: AuthorizedLink) =>
  (await loadCredentials(worker.db, worker.deps.box, _id)).value;
const statusOf = async ({ tenant, _id }: AuthorizedLink) =>
  (await findLink(worker.db, tenant, _id))?.status;

test('a token that is about to end is stored renewed before the accounts are listed with it', async () => {
  const link = await worker.link();
  expect(await discover(link)).toBe('done');
  expect([exchanged, listedWith]).toEqual([['secret'], [{ token: 'renewed' }]]);
  expect(await storedOf(link)).toEqual({ token: 'renewed' });
  const { gen, status } = link;
  expect(await findLink(worker.db, link.tenant, link._id)).toMatchObject({ gen, status });
});

test('50 renewals at once over three connections exchange once, and all go on with the new token', async () => {
  const link = await worker.link();
  const slow = exchange;
  exchange = async (token) => {
    await wait(20);
    return await slow(token);
  };
  const renewals = Array.from({ length: 50 }, async (_, index) => {
    const deps = processOf(index);
    return await renewToken(deps, await openLink(deps, link), signal);
  });
  const opened = await Promise.all(renewals);
  expect(exchanged).toEqual(['secret']);
  for (const { access } of opened) expect(access.credentials).toEqual({ token: 'renewed' });
}, 20_000);

test('without the lock the same renewals exchange more than once', async () => {
  const link = await worker.link();
  const renewals = Array.from({ length: 10 }, async (_, index) => {
    const unlocked = {
      withTokenLock: <T>(_key: string, _ttl: number, fn: Locked<T>) => fn(signal),
    };
    const deps = { ...processOf(index), tokenLocks: unlocked };
    return await renewToken(deps, await openLink(deps, link), signal);
  });
  await Promise.all(renewals);
  expect(exchanged.length).toBeGreaterThan(1);
});
type Locked<T> = (signal: AbortSignal) => Promise<T>;

test('a process that is gone between the answer and its storing leaves the old token in use', async () => {
  const link = await worker.link();
  let tellAnswered = () => {};
  const answered = new Promise<void>((done) => {
    tellAnswered = done;
  });
  let bury = (_error: Error) => {};
  // Nothing comes after the platform's answer, as in a killed process: neither the storing nor the lock's release.
  exchange = async () => {
    tellAnswered();
    return await new Promise<never>((_done, fail) => {
      bury = fail;
    });
  };
  const deps = processOf(0);
  const gone = renewToken(deps, await openLink(deps, link), signal);
  await answered;
  expect(await storedOf(link)).toEqual({ token: 'secret' });
  expect(await redis[0]?.del(`${prefix}:lock:${link._id}`)).toBe(1); // its time is over

  exchange = async () => undefined;
  expect(await discover(link, 1)).toBe('done');
  expect(listedWith).toEqual([{ token: 'secret' }]);
  expect(await statusOf(link)).toBe('Linking');
  bury(new Error('The process is gone'));
  await gone;
});

test('credentials that a person gives during a renewal stay, and are used at once', async () => {
  const link = await worker.link();
  exchange = async () => {
    const given = { token: 'by hand' };
    await saveCredentials(worker.db, worker.deps.box, link, given, worker.clock.time);
    return 'renewed';
  };
  await discover(link);
  expect(await storedOf(link)).toEqual({ token: 'by hand' });
  expect(listedWith).toEqual([{ token: 'by hand' }]);
});

test.each([
  ['the platform refuses it', new AuthLostError('grant_rejected', 'No.')],
  ['the platform is away', new RetryableError('unreachable', 'Away.')],
])(
  'the old token goes on when %s, and only the account list can lose the grant',
  async (_name, error) => {
    const link = await worker.link();
    exchange = () => Promise.reject(error);
    expect(await discover(link)).toBe('done');
    expect(listedWith).toEqual([{ token: 'secret' }]);
    expect(await statusOf(link)).toBe('Linking');
    worker.script.listFails = new AuthLostError('token_expired', 'Connect again.');
    expect(await discover(link)).toBe('failed');
    expect(await statusOf(link)).toBe('Disconnect');
  },
);

test('without Redis the old token goes on', async () => {
  const link = await worker.link();
  redis[0]?.disconnect();
  expect(await discover(link)).toBe('done');
  expect([exchanged, listedWith]).toEqual([[], [{ token: 'secret' }]]);
  redis.shift();
});
