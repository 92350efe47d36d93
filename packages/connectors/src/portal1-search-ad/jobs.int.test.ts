import { createHmac } from 'node:crypto';
import { json } from '../testing/scripted-server.ts';
import {
  answerLists,
  CREDENTIALS,
  CUSTOMER,
  createJobs,
  DAY,
  fixture,
  NOW,
  useSearchAd,
} from '../testing/search-ad.ts';

const platform = useSearchAd();
const FILES = { AD: fixture('ad'), AD_CONVERSION: fixture('ad-conversion') };
const said = () =>
  platform.server().seen.map(({ method, url }) => `${method} ${url.pathname.replace(/\d+$/, '#')}`);

test('every call is signed by its path alone, for the customer, at its moment; a download by /report-download', async () => {
  platform.serve(createJobs(FILES, { numbered: true }));
  expect((await platform.collect('ad')).error).toBeUndefined();
  const { seen } = platform.server();
  expect(seen.map(({ url }) => url.pathname)).toContain('/report-download');
  for (const { method, url, headers } of seen) {
    const signature = createHmac('sha256', CREDENTIALS.secretKey)
      .update(`${NOW}.${method}.${url.pathname}`)
      .digest('base64');
    expect(headers).toMatchObject({
      'x-timestamp': String(NOW),
      'x-api-key': CREDENTIALS.apiKey,
      'x-customer': CUSTOMER,
      'x-signature': signature,
    });
  }
  const download = seen.find(({ url }) => url.pathname === '/report-download');
  expect(download?.url.search).toBe('?authtoken=t101&fileVersion=v2');
  const created = seen.filter(({ method }) => method === 'POST');
  expect(created.map(({ headers, body }) => [headers['content-type'], JSON.parse(body)])).toEqual([
    ['application/json; charset=UTF-8', { reportTp: 'AD', statDt: '20261118' }],
    ['application/json; charset=UTF-8', { reportTp: 'AD_CONVERSION', statDt: '20261118' }],
  ]);
});

test('the ids are handed out before the first poll, and the jobs deleted after use', async () => {
  const jobs = createJobs(FILES, { statuses: ['REGIST', 'WAITING', 'AGGREGATING'] });
  platform.serve(jobs);
  expect((await platform.collect('ad')).error).toBeUndefined();
  expect(platform.reports).toEqual([
    { id: '101', from: DAY, to: DAY },
    { id: '101+102', from: DAY, to: DAY },
  ]);
  const order = said();
  expect(order.slice(0, 4)).toEqual([
    'GET /stat-reports',
    'POST /stat-reports',
    'POST /stat-reports',
    'GET /stat-reports/#',
  ]);
  expect(order.slice(-2)).toEqual(['DELETE /stat-reports/#', 'DELETE /stat-reports/#']);
  expect([...jobs.jobs]).toEqual([]);
});

test('a turn goes on with the jobs of a killed one, also where only the first was made', async () => {
  const jobs = createJobs(FILES);
  jobs.jobs.set('7', { type: 'AD', polls: 0 });
  jobs.jobs.set('8', { type: 'AD_CONVERSION', polls: 0 });
  platform.serve(jobs);
  const both = await platform.collect('ad', { report: { id: '7+8', from: DAY, to: DAY } });
  expect(both.error).toBeUndefined();
  expect(said()).not.toContain('POST /stat-reports');
  expect(platform.reports).toEqual([]);

  jobs.jobs.set('9', { type: 'AD', polls: 0 });
  const one = await platform.collect('ad', { report: { id: '9', from: DAY, to: DAY } });
  expect(one).toEqual(both);
  expect(platform.reports).toEqual([{ id: '9+101', from: DAY, to: DAY }]);
});

test('jobs of another day are not gone on with', async () => {
  platform.serve(createJobs(FILES));
  await platform.collect('ad', { report: { id: '7+8', from: '2026-11-17', to: '2026-11-17' } });
  expect(platform.reports.at(-1)?.id).toBe('101+102');
});

test('what is still being made after some seconds is left to a later turn, with its jobs', async () => {
  const jobs = createJobs(FILES, { statuses: Array(100).fill('RUNNING') });
  platform.serve(jobs);
  const { error, observed } = await platform.collect('ad');
  expect([error?.code, observed]).toEqual(['report_running', []]);
  expect([...jobs.jobs.keys()]).toEqual(['101', '102']);
});

test.each(['ERROR', 'CHANGED'])('a job that ends in %s makes both anew', async (status) => {
  const jobs = createJobs(FILES, { statuses: ['REGIST', status] });
  platform.serve(jobs);
  const { error } = await platform.collect('ad');
  expect(error?.code).toBe('report_failed');
  expect(error?.message).toContain(status);
  expect([...jobs.jobs.keys()]).toEqual([]);
});

test('a job that the platform dropped makes both anew', async () => {
  const jobs = createJobs(FILES);
  jobs.jobs.set('8', { type: 'AD_CONVERSION', polls: 0 });
  platform.serve(jobs);
  const { error } = await platform.collect('ad', { report: { id: '7+8', from: DAY, to: DAY } });
  expect(error?.code).toBe('report_failed');
  expect([...jobs.jobs.keys()]).toEqual([]);
});

describe('with fifty reports open', () => {
  const open = (ages: readonly [type: string, hours: number][]) =>
    ages.map(([reportTp, hours], index) => ({
      reportJobId: 500 + index,
      reportTp,
      status: 'BUILT',
      regTm: new Date(NOW - hours * 3_600_000).toISOString(),
    }));
  const serveOpen = (list: unknown[]) => {
    const jobs = createJobs(FILES);
    platform.server().answer((seen, res) => {
      if (seen.method === 'GET' && seen.url.pathname === '/stat-reports') json(res, list);
      else if (!jobs.prelude(seen, res) && !answerLists(seen, res)) res.end(jobs.fileOf(seen));
    });
  };
  const deleted = () =>
    platform
      .server()
      .seen.filter(({ method }) => method === 'DELETE')
      .map(({ url }) => url.pathname);

  test('those that killed turns left behind are deleted, nobody else’s', async () => {
    const list = open([
      ['AD', 4],
      ['EXPKEYWORD', 400],
      ...Array<[string, number]>(48).fill(['AD_DETAIL', 1]),
    ]);
    serveOpen(list);
    expect((await platform.collect('ad')).error).toBeUndefined();
    expect(deleted()).toEqual(['/stat-reports/500', '/stat-reports/101', '/stat-reports/102']);
  });

  test('nothing is made where none of them is ours to delete', async () => {
    serveOpen(open(Array<[string, number]>(50).fill(['EXPKEYWORD', 400])));
    const { error } = await platform.collect('ad');
    expect(error?.code).toBe('reports_full');
    expect(deleted()).toEqual([]);
    expect(said()).not.toContain('POST /stat-reports');
  });
});

test('a built report whose address leads elsewhere is refused', async () => {
  const jobs = createJobs(FILES);
  platform.server().answer((seen, res) => {
    const isPoll = seen.method === 'GET' && /\d$/.test(seen.url.pathname);
    const told = { reportJobId: 1, reportTp: 'AD', status: 'BUILT', downloadUrl: 'https://x/y' };
    if (isPoll) json(res, told);
    else jobs.prelude(seen, res);
  });
  expect((await platform.collect('ad')).error?.code).toBe('malformed_answer');
});
