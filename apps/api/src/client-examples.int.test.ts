import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObservationRow } from '@tributary/shared';
import { build } from 'esbuild';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { BLOG_DAY, type Seed, seedLink } from './testing/seed.ts';

const NOW = Date.parse('2026-11-10T12:00:00Z');
const DAY = '2026-11-09';
const PACKAGE = join(__dirname, '../../../packages/client');
const RUN_TIMEOUT_MS = 20_000;

let api: TestApi;
let key: string;
let folder: string;
let ads: Seed;
let blog: Seed;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-examples-'));
  api = await openTestApi({ name: 'client_examples' });
  key = await api.createKey('test');
  const common = { now: NOW, historyDays: 9 };
  ads = await seedLink(api.db, {
    ...common,
    type: 'SOCIAL_ADS',
    account: 'act_1',
    entities: [{ level: 'a', id: 'act_1', parent: '', title: 'Shop', status: 'active' }],
  });
  const settings = { feedUrl: 'https://feed.example.com' };
  blog = await seedLink(api.db, { ...common, type: 'PORTAL1_BLOG', account: 'b', settings });
  // As they are published: what lies in the package, without a build.
  await build({
    entryPoints: ['daily-report', 'follow-changes', 'refresh'].map((name) =>
      join(PACKAGE, 'examples', `${name}.mjs`),
    ),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    external: ['node:*'],
    alias: { '@tributary/client': join(PACKAGE, 'src/index.ts') },
  });
}, 60_000);
afterAll(async () => {
  await api?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Result {
  code: number | null;
  out: string;
  err: string;
}

function example(name: string, ...args: string[]): Promise<Result> {
  const child = spawn(process.execPath, [join(folder, `${name}.mjs`), ...args], {
    env: { ...process.env, TRIBUTARY_URL: api.url, TRIBUTARY_KEY: key },
    timeout: RUN_TIMEOUT_MS,
  });
  const result: Result = { code: null, out: '', err: '' };
  child.stdout.on('data', (data: Buffer) => (result.out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (result.err += data.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...result, code }));
  });
}

const collectBlog = (fetchedAt: number) =>
  blog.collect({ source: 'blog-days', set: 'blog', day: DAY, rows: [BLOG_DAY], fetchedAt });

test('the daily report prints the figures, and ends with 1 while they are not complete', async () => {
  const rows: ObservationRow[] = [
    ['', '', '', '', 1200, 30, 2_000_000, 61_500_000, 14_250_001, null, 900],
  ];
  await ads.collect({ source: 'a-base', day: DAY, rows, fetchedAt: NOW });
  const report = await example('daily-report', ads.link._id, DAY);
  expect(report.out.split('\r\n')[1]).toBe(
    `${DAY},total,,1200,30,2,61.5,14.250001,900,,,2.5,0.475,11.875001`,
  );
  expect(report).toMatchObject({ code: 1, err: 'Shop: partial, 6 missing\n' });
});

test('the feed goes on where it ended', async () => {
  await collectBlog(NOW);
  const file = join(folder, 'cursor.txt');
  const first = await example('follow-changes', file);
  expect(first).toMatchObject({ code: 0, err: '' });
  const ids = first.out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect(ids).toContain(blog.link._id);
  expect(await readFile(file, 'utf8')).not.toBe('');
  expect(await example('follow-changes', file)).toEqual({ code: 0, out: '', err: '' });
});

test('a refresh is waited for', async () => {
  const running = example('refresh', blog.link._id, DAY, DAY);
  // What a worker does, as soon as it is asked to: within the time that the example has at all.
  const deadline = Date.now() + RUN_TIMEOUT_MS;
  while ((await api.db.db.collection('runs').countDocuments()) === 0) {
    if (Date.now() > deadline) throw new Error('No refresh was asked for');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await collectBlog(NOW + 60_000);
  const done = { code: 0, out: '1 of 1 read, 0 failed\n', err: '' };
  expect(await running).toEqual(done);
});
