import { CursorExpiredError, NetworkError, ProblemError, UnexpectedAnswerError } from './errors.ts';
import { json, NOW, problem, scriptedClient, thrownBy } from './testing/scripted-client.ts';

const ASKED = { id: 'a b', value: '120210987654321987', start: '2026-11-01', end: '2026-11-02' };
const COMMENT = { key: 'k', title: 't', contents: 'c' };

describe('a request', () => {
  it('has its parameters in the query, and the key in a header only', async () => {
    const { client, sent } = scriptedClient([json({ date: '', data: {} })]);
    await client.getDataCampaign(ASKED);
    expect(sent[0]?.url).toBe(
      'https://api.example.com/base/data/campaign?id=a+b&value=120210987654321987&start=2026-11-01&end=2026-11-02',
    );
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toEqual({
      accept: 'application/json',
      authorization: 'Bearer key-1',
    });
  });

  it('leaves out what is undefined and sends what is empty', async () => {
    const { client, sent } = scriptedClient([json([]), json([])]);
    await client.getLink({ tag: undefined });
    await client.getLink({ tag: '' });
    expect(sent.map(({ url }) => url)).toEqual([
      'https://api.example.com/base/link',
      'https://api.example.com/base/link?tag=',
    ]);
  });

  it.each(['', '.', '..'])('never leaves its path for the id %j', async (run) => {
    const { client, sent } = scriptedClient([]);
    await expect(client.getRefreshRun({ run })).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  it('has an id of a path percent-encoded', async () => {
    const { client, sent } = scriptedClient([json({})]);
    await client.getRefreshRun({ run: '../link?x#y' });
    expect(sent[0]?.url).toBe('https://api.example.com/base/refresh/..%2Flink%3Fx%23y');
  });

  it('has a body of JSON, or one that is sent as it is', async () => {
    const { client, sent } = scriptedClient([json({}), json({})]);
    await client.putComment({ body: { ...COMMENT, idx: 1 } });
    await client.postLinkImport({ id: 'l', body: 'date\n', contentType: 'text/csv' });
    expect(sent.map(({ body, headers }) => [body, headers.get('content-type')])).toEqual([
      ['{"key":"k","title":"t","contents":"c","idx":1}', 'application/json'],
      ['date\n', 'text/csv'],
    ]);
    expect(sent[1]?.url).toBe('https://api.example.com/base/link/import?id=l');
  });
});

describe('an answer', () => {
  it('of statistics says how good it is', async () => {
    const headers = {
      ETag: 'W/"1"',
      'X-Request-Id': 'r-1',
      'Data-State': 'partial',
      'Data-As-Of': '2026-11-05T03:00:00.000Z',
      'Data-Missing': 'days=2026-11-03, age=2026-11-05..2026-11-06; count=14',
    };
    const data = { date: '2026-11-01', data: { SOCIAL_ADS: [] } };
    const { client } = scriptedClient([json(data, headers)]);
    expect(await client.getDataAdAccount(ASKED)).toEqual({
      notModified: false,
      status: 200,
      data,
      headers: expect.any(Headers),
      etag: 'W/"1"',
      requestId: 'r-1',
      state: 'partial',
      asOf: '2026-11-05T03:00:00.000Z',
      missing: {
        spans: [
          { what: 'days', from: '2026-11-03', to: '2026-11-03' },
          { what: 'age', from: '2026-11-05', to: '2026-11-06' },
        ],
        count: 14,
      },
    });
  });

  it('without those headers, or with a word of later, promises nothing', async () => {
    const { client } = scriptedClient([json({}), json({}, { 'Data-State': 'excellent' })]);
    for (const _ of [1, 2]) {
      const { state, asOf, missing } = await client.getDataAdAccount(ASKED);
      expect({ state, asOf, missing }).toEqual({ missing: { spans: [], count: 0 } });
    }
  });

  it('is notModified for the tag of an earlier one', async () => {
    const unchanged = new Response(null, { status: 304, headers: { 'Data-State': 'final' } });
    const { client, sent } = scriptedClient([unchanged]);
    const answer = await client.getDataAds(ASKED, { ifNoneMatch: 'W/"1"' });
    expect(sent[0]?.headers.get('if-none-match')).toBe('W/"1"');
    expect(answer).toMatchObject({ notModified: true, data: undefined, state: 'final' });
  });

  it('as CSV is the text, digit by digit', async () => {
    const text = 'date,spend\r\n2026-11-01,9007199254740993.000001\r\n';
    const answered = new Response(text, { headers: { 'Content-Type': 'text/csv; charset=utf-8' } });
    const { client, sent } = scriptedClient([answered]);
    expect((await client.getDataAds(ASKED, { as: 'csv' })).data).toBe(text);
    expect(sent[0]?.headers.get('accept')).toBe('text/csv');
  });

  it('of a deletion has no data', async () => {
    const { client } = scriptedClient([new Response(null, { status: 204 })]);
    expect((await client.deleteLink({ id: 'l' })).data).toBeUndefined();
  });
});

describe('an error', () => {
  it('of the API has its word, its sentence and every mistake', async () => {
    const { client } = scriptedClient([problem(400, 'invalid_request')]);
    const error = await thrownBy(client.getDataAds(ASKED));
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      name: 'ProblemError',
      message: 'invalid_request (400): Why',
      code: 'invalid_request',
      status: 400,
      detail: 'Why',
      requestId: 'r-1',
      errors: [{ in: 'query', name: 'id', message: 'wrong' }],
      retryAfterMs: undefined,
    });
  });

  it('for an expired cursor has a class of its own', async () => {
    const { client } = scriptedClient([problem(410, 'cursor_expired')]);
    expect(await thrownBy(client.getChanges({ cursor: 'old' }))).toBeInstanceOf(CursorExpiredError);
  });

  it.each([
    [
      'a page of HTML',
      new Response('<h1>Hello</h1>', { headers: { 'Content-Type': 'text/html' } }),
    ],
    ['half of some JSON', new Response('{"a', { headers: { 'Content-Type': 'application/json' } })],
    ['an answer without a type', new Response(new Uint8Array([1]))],
    ['a redirect', new Response(null, { status: 302, headers: { Location: 'https://x.example' } })],
    ["a proxy's error", new Response('Bad Gateway', { status: 502 })],
    [
      'a problem without a code',
      json({ detail: 'x' }, { 'Content-Type': 'application/problem+json' }, 400),
    ],
    ['CSV that nobody asked for', new Response('a,b', { headers: { 'Content-Type': 'text/csv' } })],
  ])('is told for %s', async (_, answered) => {
    const { client, sent } = scriptedClient([answered]);
    const error = await thrownBy(client.getLink());
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error).toMatchObject({ status: answered.status });
    expect(sent).toHaveLength(1);
  });
});

describe('what is sent again', () => {
  const cut = () => new TypeError('fetch failed', { cause: new Error('ECONNRESET') });

  it('is a GET after network errors, 429 and 503, each wait longer than the one before', async () => {
    const { client, sent, waits } = scriptedClient(
      [cut(), problem(503, 'unavailable'), new Response('busy', { status: 503 }), json([])],
      { retries: 3 },
    );
    expect((await client.getLink()).data).toEqual([]);
    expect(sent).toHaveLength(4);
    expect(waits).toEqual([375, 750, 1500]);
  });

  it('is given up after the retries, with the last error', async () => {
    const { client, sent } = scriptedClient([cut(), cut(), cut()]);
    const error = await thrownBy(client.getLink());
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({
      message: 'GET /base/link failed: fetch failed (ECONNRESET)',
      cause: expect.any(TypeError),
    });
    expect(sent).toHaveLength(3);
  });

  it.each([
    ['seconds', '7', 7_000],
    ['a date', new Date(NOW + 9_000).toUTCString(), 9_000],
    ['a date that is over', new Date(NOW - 9_000).toUTCString(), 0],
  ])('waits for the time that Retry-After names as %s, and not less', async (_, header, ms) => {
    const limited = problem(429, 'rate_limited', { 'Retry-After': header });
    const { client, waits } = scriptedClient([limited, json([])]);
    await client.getLink();
    expect(waits).toEqual([ms + 500]);
  });

  it('is not waited for when Retry-After is too long: the error tells it', async () => {
    const limited = problem(429, 'rate_limited', { 'Retry-After': '61' });
    const { client, sent, waits } = scriptedClient([limited]);
    expect(await thrownBy(client.getLink())).toMatchObject({ retryAfterMs: 61_000 });
    expect([sent.length, waits]).toEqual([1, []]);
  });

  it('is a POST that is carried out once, with the same key each time', async () => {
    const { client, sent } = scriptedClient([cut(), json({}, {}, 201), json({}, {}, 201)]);
    await client.postComment({ body: COMMENT });
    await client.postComment({ body: COMMENT });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('has the key that was given', async () => {
    const { client, sent } = scriptedClient([json({}, {}, 202)]);
    await client.postRefresh({ body: { id: 'l' } }, { idempotencyKey: 'nightly-1' });
    expect(sent[0]?.headers.get('idempotency-key')).toBe('nightly-1');
  });

  it('is nothing at all with a key that no header holds', async () => {
    const { client, sent } = scriptedClient([]);
    const error = await thrownBy(
      client.postComment({ body: COMMENT }, { idempotencyKey: 'line\nbreak' }),
    );
    expect(error).toMatchObject({ name: 'TypeError' });
    expect(sent).toEqual([]);
  });

  it('waits for its own first try that is still under way', async () => {
    const busy = problem(409, 'conflict', { 'Retry-After': '2' });
    const { client, waits } = scriptedClient([cut(), busy, json({}, {}, 201)]);
    await client.postComment({ body: COMMENT });
    expect(waits).toEqual([375, 2_500]);
  });

  it('is no first conflict, as that is not of its own making', async () => {
    const { client, sent } = scriptedClient([problem(409, 'conflict', { 'Retry-After': '2' })]);
    expect(await thrownBy(client.postComment({ body: COMMENT }))).toMatchObject({
      code: 'conflict',
    });
    expect(sent).toHaveLength(1);
  });

  it('is nothing else that changes something', async () => {
    const { client, sent } = scriptedClient([cut(), cut(), cut(), cut()]);
    const body = { ...COMMENT, idx: 1 };
    for (const work of [
      client.putComment({ body }),
      client.deleteComment({ key: 'k', idx: 1 }),
      client.putLink({ id: 'l', tag: '' }),
      client.postLinkImport({ id: 'l', body: '[]', contentType: 'application/json' }),
    ]) {
      expect(await thrownBy(work)).toBeInstanceOf(NetworkError);
    }
    expect(sent).toHaveLength(4);
  });

  it.each([400, 401, 404, 409, 500, 501])('is no answer %i', async (status) => {
    const { client, sent } = scriptedClient([problem(status, 'x', { 'Retry-After': '1' })]);
    await thrownBy(client.getLink());
    expect(sent).toHaveLength(1);
  });
});
