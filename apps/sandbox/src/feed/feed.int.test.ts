import { startTestSandbox, type TestSandbox } from '../testing.ts';

let test: TestSandbox;
const BEARER = { authorization: 'Bearer sandbox-feed-token' };

beforeEach(async () => {
  test = await startTestSandbox({ now: Date.parse('2026-11-20T12:00:00+09:00') });
});
afterEach(() => test.sandbox.close());

function ask(
  path: string,
  params: Record<string, string>,
  headers: Record<string, string> = BEARER,
) {
  return test.get(`/feed/v1/${path}?${new URLSearchParams(params).toString()}`, headers);
}

async function walk<T>(path: string, start: string, end: string): Promise<T[]> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 200; page += 1) {
    const { status, body } = await ask(path, {
      start,
      end,
      ...(cursor === undefined ? {} : { cursor }),
    });
    expect(status).toBe(200);
    items.push(...((body.days ?? body.rows) as unknown[]));
    cursor = body.next as string | undefined;
    if (cursor === undefined) return items as T[];
  }
  throw new Error('The feed has no last page');
}

interface Day {
  date: string;
  visits: number;
  pageViews: number;
  visitors: number;
  neighbours: { mutual: number; oneWay: number; other: number };
}

it('pages through 24 months of days without gap or repetition, and ends yesterday', async () => {
  const days = await walk<Day>('blog-days', '2020-01-01', '2030-01-01');
  expect(days[0]?.date).toBe('2024-11-20');
  expect(days.at(-1)?.date).toBe('2026-11-19');
  expect(days).toHaveLength(730);
  expect(new Set(days.map((day) => day.date)).size).toBe(730);
  for (const { visits, visitors, pageViews, neighbours } of days) {
    expect(neighbours.mutual + neighbours.oneWay + neighbours.other).toBe(visits);
    expect(visitors).toBeLessThanOrEqual(visits);
    expect(pageViews).toBeGreaterThanOrEqual(visits);
  }
});

it('restates a day for three days at local midnight and equals the truth', async () => {
  const read = async () =>
    (await walk<Day>('blog-days', '2026-11-19', '2026-11-19'))[0]?.visits ?? 0;
  const visits = [await read()];
  for (let day = 0; day < 5; day += 1) {
    await test.send('POST', '/__sandbox/clock', { advanceMs: 86_400_000 });
    visits.push(await read());
  }
  expect(visits).toEqual(visits.toSorted((a, b) => a - b));
  expect(visits[0]).toBeLessThan(visits[3] ?? 0);
  expect(new Set(visits.slice(3)).size).toBe(1);
  const { body } = await test.get(
    '/__sandbox/truth?channel=PORTAL1_BLOG&start=2026-11-19&end=2026-11-19',
  );
  expect(body.days).toEqual(await walk('blog-days', '2026-11-19', '2026-11-19'));
});

it('answers 304 to the tag of unchanged bytes and 200 once they changed', async () => {
  const query = { start: '2026-11-10', end: '2026-11-19' };
  const etag = (await ask('blog-days', query)).headers.get('etag') ?? '';
  const same = await ask('blog-days', query, { ...BEARER, 'if-none-match': etag });
  expect([same.status, same.body]).toEqual([304, {}]);
  await test.send('POST', '/__sandbox/clock', { advanceMs: 86_400_000 });
  expect((await ask('blog-days', query, { ...BEARER, 'if-none-match': etag })).status).toBe(200);
});

it('serves observations whose levels add up and whose lists never exceed their totals', async () => {
  type Row = {
    date: string;
    level: string;
    entityId: string;
    dimension?: string;
    impressions: number;
    spend: number;
  };
  const rows = await walk<Row>('observations', '2026-11-01', '2026-11-19');
  expect(rows.length).toBeGreaterThan(500);
  const total = (level: string, dimension?: string) =>
    rows
      .filter((row) => row.level === level && row.dimension === dimension)
      .reduce((sum, row) => sum + row.spend, 0);
  for (const level of ['campaign', 'adGroup', 'ad']) expect(total(level)).toBe(total('adAccount'));
  for (const dimension of ['age', 'gender', 'placementGroup']) {
    expect(total('adGroup', dimension)).toBe(total('adAccount', dimension));
    expect(total('adAccount', dimension)).toBeLessThan(total('adAccount'));
  }
  for (const dimension of ['devicePlatform', 'publisherGroup'])
    expect(total('adAccount', dimension)).toBe(total('adAccount'));
});

it('refuses a missing token, bad dates, unknown parameters and foreign cursors', async () => {
  const good = { start: '2026-11-01', end: '2026-11-02' };
  expect((await ask('blog-days', good, {})).status).toBe(401);
  expect((await ask('blog-days', { ...good, end: '2026-02-30' })).status).toBe(400);
  expect((await ask('blog-days', { ...good, end: '2026-10-01' })).status).toBe(400);
  expect((await ask('blog-days', { ...good, limit: '5' })).status).toBe(400);
  expect((await ask('blog-days', { ...good, cursor: 'abc' })).status).toBe(400);
  expect((await ask('posts', good)).status).toBe(404);
});

it('throttles with 429 and Retry-After when scripted, and repeats a page with its cursor', async () => {
  const good = { start: '2026-09-01', end: '2026-11-02' };
  await test.send('POST', '/__sandbox/faults', {
    channel: 'PORTAL1_BLOG',
    fault: 'throttle',
    times: 1,
    waitSeconds: 7,
  });
  const throttled = await ask('blog-days', good);
  expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '7']);
  await test.send('POST', '/__sandbox/faults', {
    channel: 'PORTAL1_BLOG',
    fault: 'repeated-page',
    times: 1,
  });
  const { body } = await ask('blog-days', good);
  expect((await ask('blog-days', { ...good, cursor: String(body.next) })).body.days).toEqual(
    body.days,
  );
});
