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

interface Row {
  date: string;
  level: string;
  entityId: string;
  dimension?: string;
  value?: string;
  spend: number;
  conversions: number;
}

describe('observations', () => {
  const RANGE = { start: '2026-11-17', end: '2026-11-19' };
  const walkRows = async (more: Record<string, string> = {}) => {
    const rows: Row[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 200; page += 1) {
      const { status, body } = await ask('observations', {
        ...RANGE,
        ...more,
        ...(cursor && { cursor }),
      });
      expect(status).toBe(200);
      rows.push(...(body.rows as Row[]));
      cursor = body.next as string | undefined;
      if (cursor === undefined) return rows;
    }
    throw new Error('The feed has no last page');
  };
  const sum = (rows: Row[], level: string, dimension?: string) =>
    rows
      .filter((row) => row.level === level && row.dimension === dimension)
      .reduce((total, { spend }) => total + Math.round(spend * 10), 0);

  it('add up over the levels, and no list exceeds its totals', async () => {
    const rows = await walkRows();
    expect(rows.length).toBeGreaterThan(500);
    expect(sum(rows, 'campaign')).toBe(sum(rows, 'adAccount'));
    expect(sum(rows, 'ad')).toBe(sum(rows, 'adGroup'));
    // A shopping campaign has no ad groups.
    expect(sum(rows, 'adGroup')).toBeLessThan(sum(rows, 'campaign'));
    for (const dimension of ['age', 'gender', 'placementGroup']) {
      expect(sum(rows, 'campaign', dimension)).toBe(sum(rows, 'adAccount', dimension));
      expect(sum(rows, 'adAccount', dimension)).toBeLessThan(sum(rows, 'adAccount'));
    }
    for (const dimension of ['devicePlatform', 'publisherGroup'])
      expect(sum(rows, 'adAccount', dimension)).toBe(sum(rows, 'adAccount'));
  });

  it('tell what the truth of the display channel tells, at every level and in every list', async () => {
    const { body: tree } = await test.get('/__sandbox/tree?channel=PORTAL1_DA');
    const [account] = tree.accounts as { id: string }[];
    const own = { account: account?.id ?? '' };
    const all = await walkRows(own);
    for (const [level, word] of [
      ['account', 'adAccount'],
      ['campaign', 'campaign'],
      ['adGroup', 'adGroup'],
    ]) {
      const query = new URLSearchParams({
        channel: 'PORTAL1_DA',
        ...own,
        ...RANGE,
        level: level ?? '',
      });
      const { body } = await test.get(`/__sandbox/truth?${query.toString()}`);
      type Entry = { value: string; spend: string; conversions: string };
      const days = body.days as { date: string; entity: string; lists: Record<string, Entry[]> }[];
      const told = days.flatMap(({ date, entity, lists }) =>
        ['age', 'gender', 'devicePlatform', 'publisherGroup', 'placementGroup'].flatMap((list) =>
          (lists[list] ?? []).map(({ value, spend, conversions }) =>
            [date, entity, list, value, spend, conversions].join(' '),
          ),
        ),
      );
      const given = all
        .filter((row) => row.level === word && row.dimension !== undefined)
        .map((row) =>
          [row.date, row.entityId, row.dimension, row.value, row.spend, row.conversions].join(' '),
        );
      expect(told.length).toBeGreaterThan(40);
      expect(given.toSorted()).toEqual(told.toSorted());
    }
  });

  it('can be narrowed to an account, a level and a list, and to nothing else', async () => {
    const all = await walkRows();
    const narrow = { level: 'campaign', dimension: 'age' };
    const few = await walkRows(narrow);
    expect(few).toEqual(all.filter((row) => row.level === 'campaign' && row.dimension === 'age'));
    expect(await walkRows({ account: '1' })).toEqual([]);
    for (const wrong of [{ level: 'keyword' }, { limit: '5' }])
      expect((await ask('observations', { ...RANGE, ...wrong })).status).toBe(400);
    const { body } = await ask('observations', { ...RANGE, level: 'ad' });
    const cursor = String(body.next);
    expect((await ask('observations', { ...RANGE, level: 'adGroup', cursor })).status).toBe(400);
  });
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
