import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  createLink,
  findLink,
  holdImportLock,
  listAccounts,
  saveTreeState,
  sealDays,
  setLinkStatus,
} from '@tributary/database';
import {
  type ImportResult,
  ImportResultSchema,
  LinkCoverageSchema,
  ProblemSchema,
} from '@tributary/shared';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { type Seed, seedLink } from './testing/seed.ts';

const NOW = Date.parse('2026-11-20T03:00:00Z');
let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'import', now: new Date(NOW).toISOString() });
});
afterAll(() => api.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const CSV_TYPE = { 'content-type': 'text/csv; charset=utf-8' };

async function send(
  id: string,
  body: string | Uint8Array,
  headers: Record<string, string> = JSON_TYPE,
) {
  return await api.ask(`/link/import?id=${id}`, { method: 'POST', headers, body });
}

async function imported(id: string, body: unknown, headers = JSON_TYPE): Promise<ImportResult> {
  const answer = await send(id, typeof body === 'string' ? body : JSON.stringify(body), headers);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return ImportResultSchema.parse(answer.json());
}

async function expectProblem(
  answer: { status: number; text: string },
  status: number,
  words: string,
) {
  const problem = ProblemSchema.parse(JSON.parse(answer.text));
  expect([answer.status, problem.detail]).toEqual([status, expect.stringContaining(words)]);
  return problem;
}

/** What a worker does with what was committed. */
async function sealAll(link: string, days: readonly string[]) {
  for (const account of await listAccounts(api.db, link)) {
    await sealDays(api.db, { account, now: NOW }, days);
  }
}

/** Everything stored of a link but the time at which something was looked at, or nothing when a file is under way. */
async function stored(link: string) {
  const { observations = [], coverage = [], imports = [] } = await api.dump();
  const own = (docs: unknown[]) =>
    docs.filter((doc) => (doc as { _id: string })._id.startsWith(`${link}.`));
  return { observations: own(observations), coverage: own(coverage), imports: own(imports) };
}

describe('PORTAL1_DA', () => {
  let seed: Seed;
  beforeEach(async () => {
    seed = await seedLink(api.db, {
      type: 'PORTAL1_DA',
      account: '77',
      now: NOW,
      historyDays: 30,
      entities: [
        { level: 'a', id: '77', parent: '', title: 'A', status: 'active' },
        { level: 'c', id: '5001', parent: '77', title: 'C', status: 'active' },
        { level: 'g', id: '6001', parent: '5001', title: 'G', status: 'removed' },
      ],
    });
    await saveTreeState(api.db, seed.account, { tree: { fetchedAt: NOW } });
  });

  const row = (change: object = {}) => ({
    date: '2026-11-10',
    level: 'campaign',
    entityId: '5001',
    dimension: 'age',
    value: '25-34',
    impressions: 600,
    clicks: 20,
    spend: '10.25',
    conversions: 1,
    amount: 50,
    ...change,
  });
  const totals = (impressions: number) =>
    ['5001', '', '', '', impressions, 30, 2_000_000, 60_000_000, 15_250_000, null, null] as const;

  async function collectTotals(day: string) {
    await seed.collect({ source: 'c-base', day, rows: [[...totals(1000)]], fetchedAt: NOW });
    await seed.collect({ source: 'c-hour', day, rows: [], fetchedAt: NOW });
  }

  async function campaign(day = '2026-11-10') {
    const path = `/data/campaign?id=${seed.link._id}&value=5001&start=${day}&end=${day}`;
    const answer = await api.ask(path);
    const body = answer.json() as { data: { PORTAL1_DA: Record<string, unknown>[] } };
    return { state: answer.headers['data-state'], day: body.data.PORTAL1_DA[0] };
  }

  test('stores lists that are served beside the totals, with what they leave out', async () => {
    await collectTotals('2026-11-10');
    const before = await campaign();
    expect(before).toMatchObject({ state: 'final', day: { age: [], gender: [] } });
    const rows = [
      row(),
      row({ value: '25~34', impressions: 100, clicks: 0, spend: 3, amount: '5.5' }),
      row({ dimension: 'gender', value: 'F' }),
    ];
    expect(await imported(seed.link._id, { rows })).toEqual({
      rows: 3,
      days: { stored: 1, unchanged: 0, rejected: 0 },
      rejectedDays: [],
      errorCount: 0,
      errors: [],
    });
    expect((await campaign()).day).toEqual(before.day);
    await sealAll(seed.link._id, ['2026-11-10']);
    const after = await campaign();
    expect(after.state).toBe('final');
    expect(after.day).toMatchObject({
      total: { impressions: 1000, clicks: 30, spend: 15.25 },
      age: [
        {
          age: '25-34',
          data: { impressions: 700, clicks: 20, spend: 13.25, conversions: 2, amount: 55.5 },
        },
        { age: 'unattributed', data: { impressions: 300, clicks: 10, spend: 2 } },
      ],
      gender: [{ gender: 'female', data: { impressions: 600 } }, { gender: 'unattributed' }],
      devicePlatform: [],
    });
  });

  test('coverage says which lists have no feed, and misses none of them', async () => {
    await collectTotals('2026-11-10');
    const path = `/link/coverage?id=${seed.link._id}&start=2026-11-10&end=2026-11-10`;
    const [account] = LinkCoverageSchema.parse((await api.ask(path)).json()).accounts;
    const lists = ['age', 'gender', 'devicePlatform', 'publisherGroup', 'placementGroup'];
    const unfed = account?.notGiven?.filter(({ code }) => code === 'no_feed');
    expect(unfed?.map(({ list }) => list)).toEqual(lists);
    const never = account?.notGiven?.filter(({ code }) => code === 'not_supported');
    expect(never?.flatMap(({ metrics = [] }) => metrics)).toContain('reach');
    const lacking = account?.days.flatMap(({ parts = [] }) => parts.map(({ list }) => list));
    expect(lacking?.filter((list) => lists.includes(list))).toEqual([]);
  });

  test('wakes the account, so that a worker seals what was stored while it was away', async () => {
    const [before] = await listAccounts(api.db, seed.link._id);
    api.clock.set(NOW + 1000);
    await imported(seed.link._id, [row()]);
    api.clock.set(NOW);
    const [after] = await listAccounts(api.db, seed.link._id);
    expect(after).toMatchObject({ nextPlanAt: NOW + 1000, importedAt: NOW + 1000 });
    expect(after?.wake).toBe((before?.wake ?? 0) + 1);
    expect(after?.run).toBe((before?.run ?? 0) + 1);
    expect(after?.lane).toEqual(before?.lane);
  });

  test('is the same by JSON, by a bare array and by CSV, and changes nothing the second time', async () => {
    const rows = [
      row(),
      row({ level: 'adAccount', entityId: 77, dimension: 'publisherGroup', value: 'News, "top"' }),
      row({ level: 'adGroup', entityId: '6001', date: '2026-11-11', value: '65+' }),
    ];
    const names = Object.keys(row());
    const cell = (value: unknown) => `"${String(value).replaceAll('"', '""')}"`;
    const lines = rows.map((one) => Object.values(one).map(cell).join(','));
    const csv = `\uFEFF${[names.join(','), ...lines, ''].join('\r\n')}`;
    const first = await imported(seed.link._id, { rows });
    expect(first.days).toEqual({ stored: 2, unchanged: 0, rejected: 0 });
    await sealAll(seed.link._id, ['2026-11-10', '2026-11-11']);
    const before = await stored(seed.link._id);
    for (const [body, type] of [
      [rows, JSON_TYPE],
      [csv, CSV_TYPE],
      [{ days: rows }, JSON_TYPE],
    ] as const) {
      const again = await imported(seed.link._id, body, { ...type });
      expect(again.days).toEqual({ stored: 0, unchanged: 2, rejected: 0 });
      const after = await stored(seed.link._id);
      expect(after.observations).toEqual(before.observations);
      expect(after.imports).toEqual([]);
    }
  });

  test('replaces what a later file has of a day and leaves its other lists', async () => {
    await collectTotals('2026-11-10');
    await imported(seed.link._id, [row(), row({ dimension: 'gender', value: 'm' })]);
    const result = await imported(seed.link._id, [row({ impressions: 900 })]);
    expect(result.days.stored).toBe(1);
    await sealAll(seed.link._id, ['2026-11-10']);
    expect((await campaign()).day).toMatchObject({
      age: [{ data: { impressions: 900 } }, { age: 'unattributed' }],
      gender: [{ gender: 'male', data: { impressions: 600 } }, { gender: 'unattributed' }],
    });
  });

  test('keeps every digit, as a number and as text', async () => {
    await collectTotals('2026-11-10');
    const text = JSON.stringify([row({ impressions: 0 })]).replace(
      '"impressions":0',
      '"impressions":9007199254740993',
    );
    await imported(seed.link._id, text);
    await sealAll(seed.link._id, ['2026-11-10']);
    const path = `/data/campaign?id=${seed.link._id}&value=5001&start=2026-11-10&end=2026-11-10`;
    expect((await api.ask(path)).text).toContain('"impressions":9007199254740993,');
  });

  test.each([
    ['a negative number', { clicks: -1 }, 'clicks', "'-1'"],
    ['a number without end', { spend: '1e400' }, 'spend', "'1e400'"],
    ['no number', { spend: 'NaN' }, 'spend', "'NaN'"],
    ['a percentage', { clicks: '2%' }, 'clicks', "'2%'"],
    [
      'a campaign that is not there',
      { entityId: '5002' },
      'entityId',
      "no campaign of this link has the id '5002'",
    ],
    [
      'a total, which the platform itself gives',
      { dimension: '', value: undefined },
      'dimension',
      'totals',
    ],
    [
      'an hour, which the platform itself gives',
      { dimension: 'hour', value: '09' },
      'dimension',
      'hour of level',
    ],
    ['a day that runs', { date: '2026-11-20' }, 'date', 'a day from 2026-10-21 to 2026-11-19'],
    ['a day in the future', { date: '2027-01-01' }, 'date', "'2027-01-01'"],
    ['a day before the history', { date: '2026-10-20' }, 'date', "'2026-10-20'"],
    ['a field that is not known', { clicked: 1 }, 'clicked', 'Unknown field'],
  ])('rejects only the day of %s', async (_name, change, field, words) => {
    const bad = row({ date: '2026-11-12', ...change });
    const rows = [
      row({ date: '2026-11-12' }),
      bad,
      row({ date: '2026-11-12', value: '65+' }),
      row(),
    ];
    const result = await imported(seed.link._id, rows);
    expect(result.errors).toEqual([{ row: 2, field, message: expect.stringContaining(words) }]);
    // A day that is out of reach is a day of its own.
    const days = [...new Set(['2026-11-12', bad.date])].filter((day) => day === bad.date);
    expect(result).toMatchObject({ rejectedDays: days, errorCount: 1 });
    const { observations } = await stored(seed.link._id);
    const kept = observations.map((doc) => (doc as { _id: string })._id.split('.')[3]);
    expect(kept).toEqual(bad.date === '2026-11-12' ? ['2026-11-10'] : ['2026-11-10', '2026-11-12']);
  });

  test('rejects a day with the same row twice, naming both', async () => {
    const result = await imported(seed.link._id, [
      row(),
      row({ date: '2026-11-11' }),
      row({ clicks: 21 }),
    ]);
    expect(result).toMatchObject({
      days: { stored: 1, rejected: 1 },
      rejectedDays: ['2026-11-10'],
      errors: [{ row: 3, message: 'The same row as row 1' }],
    });
  });

  test.each(['2026-02-30', '20261110', '', 7])(
    'stores nothing when a row might be of any day: %p',
    async (date) => {
      const result = await imported(seed.link._id, [row(), row({ date })]);
      expect(result).toMatchObject({
        days: { stored: 0, rejected: 1 },
        rejectedDays: ['2026-11-10'],
      });
      expect(result.errors).toEqual([{ row: 2, field: 'date', message: expect.any(String) }]);
      expect(await stored(seed.link._id)).toEqual({ observations: [], coverage: [], imports: [] });
    },
  );

  test('names the first thousand errors and counts them all', async () => {
    const rows = Array.from({ length: 1_500 }, (_, index) => row({ value: `${index}%` }));
    const result = await imported(seed.link._id, [...rows, row({ date: '2026-11-11' })]);
    expect(result).toMatchObject({
      rows: 1_501,
      errorCount: 1_500,
      days: { stored: 1, rejected: 1 },
    });
    expect(result.errors).toHaveLength(1_000);
    expect(result.errors[999]).toMatchObject({ row: 1_000, field: 'value' });
  });

  const header = Object.keys(row()).join(',');
  const line = Object.values(row()).join(',');
  test.each([
    [
      'half an array',
      JSON_TYPE,
      JSON.stringify([row(), row({ date: '2026-11-11' })]).slice(0, -30),
      'ends too early, after 1 rows',
    ],
    ['an array without its end', JSON_TYPE, JSON.stringify([row()]).slice(0, -1), 'ends too early'],
    [
      'a key twice',
      JSON_TYPE,
      `[${JSON.stringify(row()).replace('{', '{"clicks":1,')}]`,
      'Row 1 cannot be read: An object has the same key twice',
    ],
    [
      'an unquoted word',
      JSON_TYPE,
      '[{"date":today}]',
      'Row 1 cannot be read: It is not valid JSON',
    ],
    ['two arrays', JSON_TYPE, '[][]', 'goes on after its rows'],
    ['a comma too many', JSON_TYPE, `[${JSON.stringify(row())},]`, 'row 2 is empty'],
    ['another object', JSON_TYPE, '{"data":[]}', 'no JSON array of rows'],
    ['nothing', JSON_TYPE, '', 'no JSON array of rows'],
    ['a text', JSON_TYPE, '"rows"', 'no JSON array of rows'],
    ['deep nesting', JSON_TYPE, `[${'['.repeat(40)}`, 'nested deeper than 32'],
    ['a huge row', JSON_TYPE, `["${'x'.repeat(1_200_000)}"]`, 'more than 131072 characters'],
    ['bytes that are no UTF-8', JSON_TYPE, Buffer.from([0x5b, 0xff, 0x5d]), 'not valid UTF-8'],
    ['an empty CSV', CSV_TYPE, '', 'expected a header line'],
    ['a missing column', CSV_TYPE, `${header.replace('clicks,', '')}\n`, "Missing column 'clicks'"],
    ['an unknown column', CSV_TYPE, `${header},ctr\n${line},1\n`, "Unknown column 'ctr'"],
    ['a column twice', CSV_TYPE, `${header},clicks\n${line},1\n`, "'clicks' comes twice"],
    ['semicolons', CSV_TYPE, `${header.replaceAll(',', ';')}\n`, 'Unknown column'],
    [
      'a quote that never ends',
      CSV_TYPE,
      `${header}\n${line}\n"2026-11-11,`,
      'The body is not valid CSV: Quote Not Closed',
    ],
  ])('refuses a body of %s with 400 and stores nothing', async (_name, type, body, words) => {
    await expectProblem(await send(seed.link._id, body, type), 400, words);
    expect(await stored(seed.link._id)).toEqual({ observations: [], coverage: [], imports: [] });
  });

  test('stores nothing of a CSV file in which a row has too few cells', async () => {
    const result = await imported(
      seed.link._id,
      `${header}\n${line}\n2026-11-11,campaign\n`,
      CSV_TYPE,
    );
    expect(result).toMatchObject({ days: { stored: 0, rejected: 1 } });
    expect(result.errors).toEqual([
      { row: 2, message: 'The row has 2 cells, expected 10 as in the header line' },
    ]);
  });

  test('takes an empty list of rows as a file without days', async () => {
    const nothing = { rows: 0, days: { stored: 0, unchanged: 0, rejected: 0 } };
    expect(await imported(seed.link._id, [])).toMatchObject(nothing);
    expect(await imported(seed.link._id, ' { "rows" : [ ] } ')).toMatchObject(nothing);
    expect(await imported(seed.link._id, `${header}\r\n`, CSV_TYPE)).toMatchObject(nothing);
  });

  test.each([
    ['another type', { 'content-type': 'text/plain' }, '[]'],
    ['no type', {}, '[]'],
    ['another charset', { 'content-type': 'text/csv; charset=euc-kr' }, '[]'],
    ['a compressed body', { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync('[]')],
  ])('refuses %s with 415', async (_name, headers, body) => {
    await expectProblem(
      await send(seed.link._id, body, headers as Record<string, string>),
      415,
      'expected',
    );
  });

  test('refuses more than 100 MB by what is announced and by what comes', async () => {
    const { port, hostname } = new URL(api.url);
    const head = (lines: string) =>
      `POST /link/import?id=${seed.link._id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${lines}\r\n\r\n`;
    const key = await api.createKey('test');
    const heard = (lines: string, push: (write: (text: string) => void) => void) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname);
        socket.on('error', reject);
        socket.on('data', (data: Buffer) => {
          resolve(data.toString().split('\r\n')[0] ?? '');
          socket.destroy();
        });
        socket.write(head(lines));
        push((text) => socket.write(text));
      });
    expect(await heard('Content-Length: 104857601', () => {})).toContain(' 413 ');
    const blanks = ' '.repeat(1024 * 1024);
    const size = blanks.length.toString(16);
    const open = `1\r\n[\r\n`;
    const sent = heard('Transfer-Encoding: chunked', (write) => {
      write(open);
      for (let piece = 0; piece < 101; piece += 1) write(`${size}\r\n${blanks}\r\n`);
    });
    expect(await sent).toContain(' 413 ');
    expect(await stored(seed.link._id)).toEqual({ observations: [], coverage: [], imports: [] });
  }, 30_000);

  test('leaves nothing of an upload whose client goes away', async () => {
    const { port, hostname } = new URL(api.url);
    const key = await api.createKey('test');
    const socket = connect(Number(port), hostname);
    const rows = Array.from({ length: 30_000 }, (_, index) =>
      row({ value: `${index % 90}-99`, spend: index }),
    );
    const text = JSON.stringify(rows);
    socket.write(
      `POST /link/import?id=${seed.link._id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text.slice(0, -100)}`,
    );
    const until = async (isDone: (count: number) => boolean) => {
      for (let round = 0; round < 400; round += 1) {
        const { imports } = await stored(seed.link._id);
        if (isDone(imports.length)) return;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error('It never came to that');
    };
    await until((count) => count > 1); // the lock, and rows put aside
    socket.destroy();
    await until((count) => count === 0);
    expect(await stored(seed.link._id)).toEqual({ observations: [], coverage: [], imports: [] });
    expect((await imported(seed.link._id, [row()])).days.stored).toBe(1);
  }, 30_000);

  test('takes one file of a link at a time', async () => {
    const link = await findLink(api.db, 'test', seed.link._id);
    if (!link) throw new Error('No link');
    await holdImportLock(api.db, link, { owner: 'other', now: NOW });
    const answer = await send(seed.link._id, '[]');
    await expectProblem(answer, 409, 'Another file is being imported');
    expect(answer.headers['retry-after']).toBe('60');
    api.clock.set(NOW + 60_000);
    expect((await imported(seed.link._id, [row()])).days.stored).toBe(1);
    api.clock.set(NOW);
  });

  test('waits until the campaigns are known, and for a person', async () => {
    await saveTreeState(api.db, seed.account, { tree: {} });
    await expectProblem(await send(seed.link._id, '[]'), 409, 'campaigns are not known yet');
    const reason = { code: 'grant_rejected', message: 'Connect again.' };
    await setLinkStatus(api.db, seed.link._id, { status: 'Disconnect', reason, gen: 0 });
    await expectProblem(await send(seed.link._id, '[]'), 409, 'Connect again.');
  });

  test("is nobody else's, and not for a key that may only read", async () => {
    const foreign = await api.createKey('other');
    const path = `/link/import?id=${seed.link._id}`;
    const ask = (key: string) =>
      api.ask(path, { method: 'POST', headers: JSON_TYPE, body: '[]', key });
    await expectProblem(await ask(foreign), 404, 'No link has the id');
    await expectProblem(await ask(await api.createKey('test', ['read'])), 403, "scope 'write'");
    await expectProblem(await ask('nonsense'), 401, 'Send a valid API key');
  });
});

test('refuses a link of a channel that takes no files', async () => {
  const { link } = await seedLink(api.db, {
    type: 'SOCIAL_ADS',
    account: '1',
    now: NOW,
    historyDays: 9,
  });
  await expectProblem(await send(link._id, '[]'), 409, 'only PORTAL1_BLOG and PORTAL1_DA do');
});

describe('PORTAL1_BLOG without a feed', () => {
  const day = (date: string, change: object = {}) => ({
    date,
    pageViews: 40,
    visitors: 20,
    visits: 25,
    averageDurationSeconds: 61.5,
    referrers: [
      { id: 's', title: 'Search', count: 12, detail: [{ title: 'green "tea"', count: 3 }] },
    ],
    posts: [{ id: '9', title: 'Sencha', views: 8, type: 'post', writtenOn: '2026-09-01' }],
    neighbours: { mutual: 1, oneWay: 2, other: 22 },
    ...change,
  });
  const newLink = (settings = {}) =>
    createLink(api.db, {
      tenant: 'test',
      type: 'PORTAL1_BLOG',
      title: 'B',
      tag: '',
      settings,
      now: NOW,
    });
  const blog = (id: string, start: string, end: string) =>
    api.ask(`/data/blog-portal1?id=${id}&start=${start}&end=${end}`);
  const status = async (id: string) => (await findLink(api.db, 'test', id))?.status;

  test('is Completed by its first import, before any worker saw it, and then serves its days', async () => {
    const link = await newLink({ historyDays: 20 });
    const rejected = await imported(link._id, { days: [day('2026-11-17', { visits: -1 })] });
    expect(rejected.errors).toEqual([
      { row: 1, field: 'visits', message: "Invalid value '-1' in visits, expected at least 0" },
    ]);
    expect(await status(link._id)).toBe('Linking');
    const result = await imported(link._id, { days: [day('2026-11-18'), day('2026-11-16')] });
    expect(result.days).toEqual({ stored: 2, unchanged: 0, rejected: 0 });
    expect(await status(link._id)).toBe('Completed');
    expect((await blog(link._id, '2026-11-16', '2026-11-18')).status).toBe(409);
    await sealAll(link._id, ['2026-11-16', '2026-11-18']);
    api.clock.set(NOW + 61_000); // the API looks anew after a minute
    const answer = await blog(link._id, '2026-11-16', '2026-11-18');
    expect(answer.headers).toMatchObject({
      'data-state': 'partial',
      'data-missing': 'days=2026-11-17; count=1',
    });
    expect(answer.json()).toMatchObject({
      data: { visit_pv_cnt: 80, visit_cnt: 50, average_duration: 61.5 },
    });
    api.clock.set(NOW);
  });

  test('takes CSV whose lists are JSON in their cells', async () => {
    const link = await newLink();
    const cell = (value: unknown) =>
      typeof value === 'string' ? value : `"${JSON.stringify(value).replaceAll('"', '""')}"`;
    const csv = [Object.keys(day('')), Object.values(day('2026-11-18')).map(cell)]
      .map((cells) => cells.join(','))
      .join('\n');
    expect((await imported(link._id, csv, CSV_TYPE)).days.stored).toBe(1);
    expect((await imported(link._id, [day('2026-11-18')])).days.unchanged).toBe(1);
    const broken = csv.replace('25', 'many');
    expect((await imported(link._id, broken, CSV_TYPE)).errors).toEqual([
      { row: 1, field: 'visits', message: "Invalid value 'many' in visits, expected number" },
    ]);
  });

  test('says which day came twice', async () => {
    const link = await newLink();
    const result = await imported(link._id, [day('2026-11-18'), day('2026-11-18')]);
    expect(result).toMatchObject({
      rejectedDays: ['2026-11-18'],
      errors: [{ row: 2, message: 'The same row as row 1' }],
    });
  });
});

test("the uploads of one tenant leave room for another's", async () => {
  const blog = async (tenant: string) => {
    const { _id } = await createLink(api.db, {
      tenant,
      type: 'PORTAL1_BLOG',
      title: 'B',
      tag: '',
      settings: {},
      now: NOW,
    });
    const key = await api.createKey(tenant);
    const path = `/link/import?id=${_id}`;
    return { id: _id, key, path };
  };
  const ask = ({ key, path }: { key: string; path: string }) =>
    api.ask(path, { method: 'POST', headers: JSON_TYPE, body: '[]', key });
  const { port, hostname } = new URL(api.url);
  const slow = [await blog('slow'), await blog('slow')];
  const sockets = slow.map(({ key, path }) => {
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n[',
    );
    return socket;
  });
  const until = async (count: number) => {
    for (let round = 0; round < 400; round += 1) {
      const under = await Promise.all(slow.map(({ id }) => stored(id)));
      if (under.flatMap(({ imports }) => imports).length === count) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`There were never ${count} under way`);
  };
  try {
    await until(2);
    await expectProblem(await ask(await blog('slow')), 503, 'Other files are being imported');
    expect((await ask(await blog('swift'))).status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await until(0);
  expect((await ask(await blog('slow'))).status).toBe(200);
}, 30_000);
