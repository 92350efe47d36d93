import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { connectDatabase } from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import { requireMongo } from './testing/open-test-api.ts';
import { createSourceProcesses } from './testing/source-process.ts';

const uri = requireMongo();
uri.pathname = `/api_main_${process.pid}`;

const processes = createSourceProcesses();

afterAll(async () => {
  processes.close();
  const logger = createLogger({ name: 'test', level: 'silent' });
  const db = await connectDatabase({ uri: uri.href, appName: 'api-test', logger });
  await db.db.dropDatabase();
  await db.close();
});

const good = {
  MONGODB_URI: uri.href,
  CREDENTIALS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  API_PORT: '0',
  API_ADMIN_PORT: '0',
};

interface Run {
  child: ChildProcess;
  /** Everything printed so far. */
  readonly out: () => string;
  exit: Promise<number | null>;
}

function run(env: Record<string, string>): Run {
  const child = processes.start('main.ts', { env });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
  }
  const exit = once(child, 'exit').then(([code]) => code as number | null); // the event's first argument
  return { child, out: () => out, exit };
}

async function said({ child, out }: Run, words: RegExp): Promise<readonly string[]> {
  for (;;) {
    const found = words.exec(out());
    if (found) return found.slice(1);
    if (child.exitCode !== null) throw new Error(out());
    await once(child.stdout ?? child, 'data', { signal: AbortSignal.timeout(30_000) });
  }
}

async function listening(process: Run): Promise<{ url: string; admin: string }> {
  const [url = ''] = await said(process, /"address":"(http:[^"]+)","msg":"The API listens"/);
  const [admin = ''] = await said(process, /"address":"(http:[^"]+)","msg":"The admin server/);
  return { url, admin };
}

describe('main', () => {
  it('serves, and at SIGTERM ends with 0 without failing an accepted request', async () => {
    const process = run({ ...good, AUTH: 'off' });
    const { url, admin } = await listening(process);
    expect((await fetch(`${admin}/readyz`)).status).toBe(200);
    const agent = new Agent({ keepAlive: true });
    const outcomes: (string | number | undefined)[] = [];
    let isOver = false;
    const client = async () => {
      while (!isOver) outcomes.push(await ask(`${url}/link`, agent));
    };
    const clients = Array.from({ length: 10 }, client);
    while (outcomes.length < 100) await new Promise((resolve) => setTimeout(resolve, 20));
    const asked = performance.now();
    process.child.kill('SIGTERM');
    await said(process, /"msg":"Stopping"/);
    expect((await fetch(`${admin}/readyz`)).status).toBe(503);
    expect(await process.exit).toBe(0);
    expect(performance.now() - asked).toBeLessThan(10_000);
    isOver = true;
    await Promise.all(clients);
    agent.destroy();
    expect(new Set(outcomes)).toEqual(new Set([200, 'ECONNREFUSED']));
  }, 60_000);

  it('asked to stop a second time ends at once with 1', async () => {
    const process = run({ ...good, AUTH: 'off' });
    const { url } = await listening(process);
    const { port, hostname } = new URL(url);
    const unfinished = connect(Number(port), hostname);
    unfinished.on('error', () => undefined); // a reset is what it gets
    unfinished.write('POST /comment HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
    await once(unfinished, 'connect');
    process.child.kill('SIGTERM');
    await said(process, /"msg":"Stopping"/);
    const asked = performance.now();
    process.child.kill('SIGTERM');
    expect(await process.exit).toBe(1);
    expect(performance.now() - asked).toBeLessThan(1_000);
    unfinished.destroy();
  }, 60_000);

  it('tells operators how it is: health, requests by route, refusals, and how late the event loop is', async () => {
    const process = run({ ...good, AUTH_FAILURES_PER_MINUTE: '1' });
    const { url, admin } = await listening(process);
    for (const status of [401, 429]) {
      expect((await fetch(`${url}/link`, { headers: { 'X-API-Key': 'x' } })).status).toBe(status);
    }
    expect((await fetch(`${admin}/livez`)).status).toBe(200);
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    for (const line of [
      /^tributary_api_rate_limited_total\{policy="address",app="api"\} 1$/m,
      /^tributary_api_request_duration_seconds_count\{app="api",method="GET",path="\/link",status="429"\} 1$/m,
      /^nodejs_eventloop_lag_seconds\{app="api"\} [\d.e-]+$/m,
    ]) {
      expect(metrics).toMatch(line);
    }
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    process.child.kill('SIGTERM');
    expect(await process.exit).toBe(0);
  }, 60_000);

  it.each([
    [{ ...good, API_PORT: 'x', AUTH: 'maybe' }, ['API_PORT', 'AUTH']],
    [{ ...good, AUTH: 'off', HOST: '0.0.0.0' }, ['AUTH', 'loopback']],
    [{ ...good, CREDENTIALS_KEYS: 'k1:dG9vIHNob3J0' }, ["CREDENTIALS_KEYS: key 'k1' has 9 bytes"]],
    [{ ...good, CLOCK_URL: 'http://127.0.0.1:9/', NODE_ENV: 'production' }, ['CLOCK_URL']],
    [{ ...good, MONGODB_URI: 'mongodb://127.0.0.1:9/x' }, ['127.0.0.1:9']],
  ])(
    'refuses to start with what cannot work: %#',
    async (env, words) => {
      const { exit, out } = run(env);
      expect(await exit).toBe(1);
      for (const word of words) expect(out()).toContain(word);
      expect(out()).not.toContain('dG9vIHNob3J0');
    },
    30_000,
  );
});

function ask(url: string, agent: Agent): Promise<string | number | undefined> {
  return new Promise((resolve) => {
    const req = request(url, { agent }, (res) => {
      res.resume();
      res.on('end', () => resolve(res.statusCode));
      res.on('error', () => resolve('cut'));
    });
    req.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    req.end();
  });
}
