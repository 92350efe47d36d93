import { CommentSchema, ProblemSchema } from '@tributary/shared';
import fc from 'fast-check';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'comments' });
});
afterAll(() => api?.close());

const json = { 'Content-Type': 'application/json' };
const send = (method: string, body: object, key?: string) =>
  api.ask('/comment', {
    method,
    headers: json,
    body: JSON.stringify(body),
    ...(key === undefined ? {} : { key }),
  });
const newKey = () => api.createKey(`tenant-${Math.random().toString(36).slice(2)}`);

describe('/comment', () => {
  it('creates with numbers from 1 on, answers to the letter and lists in their order', async () => {
    const key = await newKey();
    const first = await send('POST', { key: 'spring', title: 'One', contents: ' Text ' }, key);
    expect(first.status).toBe(201);
    expect(first.headers.location).toBe('comment?key=spring');
    const at = '2026-11-10T12:00:00.000Z';
    const one = `{"idx":1,"key":"spring","title":"One","contents":" Text ","cdate":"${at}","udate":"${at}"}`;
    expect(first.text).toBe(one);
    const second = await send('POST', { key: 'a&b', title: 'Two', contents: 'x' }, key);
    expect(second.headers.location).toBe('comment?key=a%26b');
    const list = await api.ask('/comment', { key });
    expect(list.text).toBe(`[${one},${second.text}]`);
    for (const path of ['/comment?key=', '/comment?key=%20+', '/comment?key']) {
      expect((await api.ask(path, { key })).text).toBe(list.text);
    }
    expect((await api.ask('/comment?key=spring', { key })).text).toBe(`[${one}]`);
    expect((await api.ask('/comment?key=Spring', { key })).text).toBe('[]');
  });

  it('PUT changes title and contents only, by number as text or integer', async () => {
    const key = await newKey();
    await send('POST', { key: 'k', title: 'Old', contents: 'old' }, key);
    api.clock.set(Date.parse('2026-11-10T13:00:00.5Z'));
    for (const idx of ['1', 1]) {
      const answer = await send('PUT', { key: 'k', idx, title: 'New', contents: 'new' }, key);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(
        '{"idx":1,"key":"k","title":"New","contents":"new","cdate":"2026-11-10T12:00:00.000Z","udate":"2026-11-10T13:00:00.500Z"}',
      );
    }
    api.clock.set(Date.parse('2026-11-10T12:00:00Z'));
    for (const idx of ['0', '01', '-1', '1.0', '1e3', '1000000000000000', 1.5, 0, 1e15, true]) {
      const answer = await send('PUT', { key: 'k', idx, title: 'New', contents: 'new' }, key);
      expect(answer.status).toBe(400);
      expect(ProblemSchema.parse(answer.json()).errors).toMatchObject([{ name: 'idx' }]);
    }
  });

  it('a wrong pair of key and number is 404, and a deleted number never comes back', async () => {
    const key = await newKey();
    await send('POST', { key: 'k', title: 't', contents: 'c' }, key);
    const wrong = { key: 'other', idx: '1', title: 't', contents: 'c' };
    for (const body of [wrong, { ...wrong, key: 'k', idx: '2' }]) {
      const answer = await send('PUT', body, key);
      expect(answer.status).toBe(404);
      expect(ProblemSchema.parse(answer.json()).code).toBe('comment_not_found');
      const path = `/comment?key=${body.key}&idx=${body.idx}`;
      expect((await api.ask(path, { method: 'DELETE', key })).status).toBe(404);
    }
    const gone = await api.ask('/comment?key=k&idx=1', { method: 'DELETE', key });
    expect(gone.status).toBe(204);
    expect(gone.bytes.length).toBe(0);
    expect((await api.ask('/comment?key=k&idx=1', { method: 'DELETE', key })).status).toBe(404);
    const next = await send('POST', { key: 'k', title: 't', contents: 'c' }, key);
    expect(CommentSchema.parse(next.json()).idx).toBe(2);
  });

  it("knows nothing of another tenant's comments", async () => {
    const [mine, theirs] = [await newKey(), await newKey()];
    await send('POST', { key: 'k', title: 't', contents: 'c' }, theirs);
    expect((await api.ask('/comment', { key: mine })).text).toBe('[]');
    const path = '/comment?key=k&idx=1';
    expect((await api.ask(path, { method: 'DELETE', key: mine })).status).toBe(404);
    expect((await api.ask('/comment', { key: theirs })).text).not.toBe('[]');
  });

  it('fifty at once get fifty numbers', async () => {
    const key = await newKey();
    const body = { key: 'k', title: 't', contents: 'c' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('POST', body, key)));
    const numbers = answers.map((one) => CommentSchema.parse(one.json()).idx);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  });

  it('stores any text as sent: markup, formulas, right-to-left marks, emoji up to the limit', async () => {
    const key = await newKey();
    const text = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 100 })
      .filter((one) => one.trim() !== '' && !one.includes('\0'));
    const samples = ['<b>', '=cmd()', '\u202Eabc', '👍'.repeat(100), "'); drop--", '$where', '{}'];
    for (const title of [...samples, ...fc.sample(text, 30)]) {
      const answer = await send('POST', { key: title, title, contents: title.repeat(100) }, key);
      expect(answer.status).toBe(201);
      const found = await api.ask(`/comment?key=${encodeURIComponent(title)}`, { key });
      expect(found.text).toContain(answer.text);
      const { key: kept, title: stored, contents } = CommentSchema.parse(answer.json());
      expect([kept, stored, contents]).toEqual([title, title, title.repeat(100)]);
    }
  });

  it('refuses blank, too long and unstorable text, and a number of the client', async () => {
    const good = { key: 'k', title: 't', contents: 'c' };
    for (const [field, value] of [
      ['key', '   '],
      ['title', '\n\t'],
      ['contents', ''],
      ['key', 'x'.repeat(101)],
      ['title', '👍'.repeat(201)],
      ['contents', 'x'.repeat(10_001)],
      ['contents', 'a\0b'],
      ['title', 'half \ud83d'],
      ['idx', '5'],
    ] as const) {
      const answer = await send('POST', { ...good, [field]: value });
      expect(answer.status).toBe(400);
      expect(ProblemSchema.parse(answer.json()).errors).toMatchObject([
        { in: 'body', name: field },
      ]);
    }
  });
});

describe('versions of a comment', () => {
  const body = { key: 'k', idx: 1, title: 'New', contents: 'new' };
  const change = (ifMatch: string, key: string) =>
    api.ask('/comment', {
      method: 'PUT',
      headers: { ...json, 'If-Match': ifMatch },
      body: JSON.stringify(body),
      key,
    });
  const remove = (ifMatch: string, key: string) =>
    api.ask('/comment?key=k&idx=1', { method: 'DELETE', headers: { 'If-Match': ifMatch }, key });

  it('of two who read the same one, the second to change it is told', async () => {
    const key = await newKey();
    const { headers } = await send('POST', { key: 'k', title: 'Old', contents: 'old' }, key);
    const [listed] = (await api.ask('/comment', { key })).json() as { udate: string }[];
    expect(headers.etag).toBe(`"${listed?.udate}"`);
    const read = String(headers.etag);
    const first = await change(read, key);
    expect(first.status).toBe(200);
    expect(first.headers.etag).not.toBe(read); // the clock stands still
    const second = await change(read, key);
    expect(second.status).toBe(412);
    expect(ProblemSchema.parse(second.json()).code).toBe('precondition_failed');
    expect((await remove(read, key)).status).toBe(412);
    expect((await api.ask('/comment', { key })).text).toBe(`[${first.text}]`);
    expect((await change('*', key)).status).toBe(200);
    expect((await remove(`"x", ${String(first.headers.etag)}`, key)).status).toBe(204);
    expect((await change('*', key)).status).toBe(404);
    expect((await remove(read, key)).status).toBe(404);
  });

  it('of fifty at once with one version, one changes it', async () => {
    const key = await newKey();
    const { headers } = await send('POST', { key: 'k', title: 'Old', contents: 'old' }, key);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => change(String(headers.etag), key)),
    );
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 412)]);
  });

  it.each(['W/"2026-11-10T12:00:00.000Z"', '2026-11-10T12:00:00.000Z', '"yesterday"', '""'])(
    'If-Match: %s is none of them',
    async (ifMatch) => {
      const key = await newKey();
      await send('POST', { key: 'k', title: 'Old', contents: 'old' }, key);
      expect((await change(ifMatch, key)).status).toBe(412);
      expect((await remove(ifMatch, key)).status).toBe(412);
    },
  );

  it('what has no versions is not changed under a condition', async () => {
    const headers = { ...json, 'If-Match': '"x"' };
    const text = JSON.stringify({ key: 'k', title: 'Old', contents: 'old' });
    const key = await newKey();
    expect((await api.ask('/comment', { method: 'POST', headers, body: text, key })).status).toBe(
      412,
    );
    expect(
      (await api.ask('/link?id=x&title=y', { method: 'PUT', headers: { 'If-Match': '"x"' }, key }))
        .status,
    ).toBe(412);
    expect((await api.ask('/comment', { headers: { 'If-Match': '"x"' }, key })).text).toBe('[]');
  });
});
