import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, createReleasers } from '@tributary/runtime';
import { connectDatabase, isUnavailable, pingDatabase } from './database.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('database', { indexes: false });
});
afterAll(() => test.drop());
const releasers = createReleasers();
afterEach(() => releasers.releaseAll());

const lines: string[] = [];
const logger = createLogger({
  name: 'test',
  destination: { write: (line: string) => lines.push(line) },
});

/** A door to the server that can be shut. */
async function openDoor() {
  const { hostname, port } = new URL(test.uri);
  const state = { shut: false };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (state.shut) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const shut = (value: boolean) => {
    state.shut = value;
    if (value) for (const socket of sockets) socket.destroy();
  };
  releasers.add('door', () => {
    server.close();
    shut(true);
  });
  const { port: bound } = server.address() as AddressInfo; // a TCP server has one
  return { shut, uri: test.uri.replace(`${hostname}:${port}`, `127.0.0.1:${bound}`) };
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

describe('connectDatabase', () => {
  it('says which server does not answer within 5 s, without the password', async () => {
    const started = performance.now();
    const uri = 'mongodb://root:hunter2@127.0.0.1:1/x';
    const error = await failureOf(connectDatabase({ uri, appName: 'test', logger }));
    expect(error).toMatchObject({
      code: 'database_unreachable',
      message: 'MongoDB does not answer at 127.0.0.1:1',
    });
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('takes the database from the address, else `tributary`', async () => {
    expect(test.db.db.databaseName).toMatch(/^documents_database_/);
    const uri = test.uri.replace(/\/[^/]*$/, '');
    const db = await connectDatabase({ uri, appName: 'test', logger });
    releasers.add('db', () => db.close());
    expect(db.db.databaseName).toBe('tributary');
  });

  it('fails within 3 s as unavailable while the server is away, and works again by itself', async () => {
    const door = await openDoor();
    const db = await connectDatabase({ uri: door.uri, appName: 'test', logger });
    releasers.add('db', () => db.close());
    door.shut(true);
    for (let round = 0; round < 2; round += 1) {
      const started = performance.now();
      const error = await failureOf(db.db.collection('x').findOne());
      expect(isUnavailable(error)).toBe(true);
      expect(performance.now() - started).toBeLessThan(3000);
    }
    expect(isUnavailable(await failureOf(pingDatabase(db)))).toBe(true);
    door.shut(false);
    for (let tries = 0; tries < 100; tries += 1) {
      if (
        await pingDatabase(db).then(
          () => true,
          () => false,
        )
      )
        break;
      await sleep(50);
    }
    expect(await db.db.collection('x').findOne()).toBeNull();
    expect(lines.filter((line) => line.includes('MongoDB answers again'))).toHaveLength(1);
  }, 30_000);

  it('never turns a forgotten value into "everything"', async () => {
    await test.db.db.collection('tenants').insertMany([{ tenant: 'a' }, { tenant: 'b' }]);
    const forgotten = { tenant: undefined };
    expect(await test.db.db.collection('tenants').find(forgotten).toArray()).toEqual([]);
  });
});

describe('isUnavailable', () => {
  it('is false for mistakes', async () => {
    const twins = test.db.db.collection<{ _id: string }>('twins');
    await twins.insertOne({ _id: 'x' });
    expect(isUnavailable(await failureOf(twins.insertOne({ _id: 'x' })))).toBe(false);
    expect(isUnavailable(new Error('x'))).toBe(false);
  });
});
