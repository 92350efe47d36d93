import { ProblemSchema } from '@tributary/shared';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'once' });
}, 60_000);
afterAll(() => api?.close());

const LINK = { type: 'SOCIAL_ADS', title: 'Shop', credentials: { accessToken: 'token-1' } };
const COMMENT = { key: 'spring', title: 'T', contents: 'C' };

const post = (path: string, body: object, key: string, apiKey?: string) =>
  api.ask(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    ...(apiKey !== undefined && { key: apiKey }),
  });
const countOf = async (path: string) => ((await api.ask(path)).json() as unknown[]).length;

test.each([
  ['/comment', COMMENT],
  ['/link', LINK],
])(
  'POST %s: twenty equal requests at once are one, and each is answered alike',
  async (path, body) => {
    const before = await countOf(path);
    const first = await Promise.all(
      Array.from({ length: 20 }, () => post(path, body, `all ${path}`.replace(' ', '-'))),
    );
    const answered = first.filter(({ status }) => status === 201);
    const busy = first.filter(({ status }) => status === 409);
    expect(answered.length + busy.length).toBe(20);
    expect(await countOf(path)).toBe(before + 1);
    const again = await post(path, body, `all-${path}`);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
    for (const one of answered) expect(one.json()).toEqual(again.json());
  },
);

test('a replay has the headers of the first answer too', async () => {
  const first = await post('/comment', COMMENT, 'headers');
  const again = await post('/comment', COMMENT, 'headers');
  expect(first.headers['idempotency-replayed']).toBeUndefined();
  expect(again.headers.location).toBe(first.headers.location);
});

test('another body or path under the same key is 422, another tenant has keys of its own', async () => {
  await post('/comment', COMMENT, 'mine');
  for (const answer of [
    await post('/comment', { ...COMMENT, title: 'Other' }, 'mine'),
    await post('/link', LINK, 'mine'),
  ]) {
    expect([answer.status, ProblemSchema.parse(answer.json()).code]).toEqual([
      422,
      'idempotency_mismatch',
    ]);
  }
  const other = await post(
    '/comment',
    { ...COMMENT, title: 'Other' },
    'mine',
    await api.createKey('other'),
  );
  expect(other.status).toBe(201);
});

test('what failed is forgotten', async () => {
  const body = { id: 'nosuchlink' };
  expect((await post('/refresh', body, 'failing')).status).toBe(404);
  expect((await post('/comment', COMMENT, 'failing')).status).toBe(201);
});

test.each(['', 'a b', 'ü', 'x'.repeat(201)])("the key '%s' is 400 and named", async (key) => {
  const answer = await post('/comment', COMMENT, Buffer.from(key).toString('latin1'));
  expect([answer.status, ProblemSchema.parse(answer.json()).errors[0]?.name]).toEqual([
    400,
    'Idempotency-Key',
  ]);
});

test('after a day the key is free again', async () => {
  await post('/comment', COMMENT, 'daily');
  const [stored] = await api.db.db
    .collection('requests')
    .find({ _id: { $regex: 'daily$' } as never })
    .toArray();
  const kept = Number(stored?.expireAt) - api.clock.now();
  expect(kept).toBe(24 * 3_600_000);
});
