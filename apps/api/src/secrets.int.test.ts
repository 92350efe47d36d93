import { randomBytes } from 'node:crypto';
import { loadCredentials } from '@tributary/database';
import { createLogger } from '@tributary/runtime';
import type { ChannelType } from '@tributary/shared';
import { type Answer, openTestApi, type TestApi } from './testing/open-test-api.ts';

/** Secrets as they look: some are opaque, some are short words that nothing gives away but the name beside them. */
const canaries: string[] = [];
function canary(form: 'opaque' | 'word' | 'digits' = 'opaque'): string {
  const bytes = randomBytes(12);
  const text =
    form === 'opaque'
      ? `EAAB${bytes.toString('hex')}${canaries.length}`
      : form === 'word'
        ? `hunter${canaries.length}-${bytes.toString('hex').slice(0, 6)}`
        : BigInt(`0x1${bytes.toString('hex').slice(0, 10)}`).toString();
  canaries.push(text);
  return text;
}

const SECRETS: Readonly<Record<ChannelType, Record<string, string>>> = {
  // The app's id is no secret.
  SOCIAL_ADS: { accessToken: canary(), appSecret: canary('word'), appId: 'app-1' },
  SEARCH_ENGINE_ADS: {
    clientId: canary('word'),
    clientSecret: canary('word'),
    refreshToken: canary(),
    developerToken: canary('word'),
  },
  PORTAL1_SEARCH_AD: { customerId: canary('digits'), apiKey: canary(), secretKey: canary('word') },
  PORTAL2_KEYWORD: { businessToken: canary() },
  PORTAL2_DISPLAY: { businessToken: canary('word') },
  PORTAL1_DA: {
    clientId: canary('word'),
    clientSecret: canary('word'),
    refreshToken: canary(),
    feedToken: canary('word'),
  },
  PORTAL1_BLOG: { feedToken: canary() },
};
const TYPES = Object.keys(SECRETS) as ChannelType[]; // the record's own keys

const lines: string[] = [];
const answers: Answer[] = [];
let api: TestApi;
let key: string;
beforeAll(async () => {
  const logger = createLogger({
    name: 'api',
    level: 'trace',
    destination: { write: (line) => void lines.push(line) },
  });
  api = await openTestApi({ name: 'secrets', logger });
  key = await api.createKey('acme');
  canaries.push(key.split('_')[2] ?? '');
}, 60_000);
afterAll(() => api?.close());

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await api.ask(path, {
    method,
    key: headers.Authorization === undefined ? key : null,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: text }),
  });
  answers.push(answer);
  return answer;
}

const linkOf = (type: ChannelType, credentials: unknown = SECRETS[type]) => ({
  type,
  title: type,
  credentials,
});

/** What is wrong with a request that holds the credentials all the same. */
function spoilt(type: ChannelType): unknown[] {
  const secrets = SECRETS[type];
  const body = linkOf(type);
  const [name = '', value = ''] = Object.entries(secrets)[0] ?? [];
  return [
    { ...body, title: '' },
    { ...body, type: 'NOPE' },
    { ...body, credentials: { ...secrets, unknownField: value } },
    { ...body, credentials: { ...secrets, [name]: [value] } },
    { ...body, credentials: { ...secrets, [name]: { value } } },
    { ...body, credentials: { ...secrets, [name]: `${value}\u0000` } },
    { ...body, credentials: { ...secrets, [name]: `${value} with spaces\n`.repeat(1_000) } },
    { ...body, credentials: [value] },
    { ...body, credentials: value },
    { ...body, settings: { historyDays: 'x' } },
    JSON.stringify(body).slice(0, -2),
    `${JSON.stringify(body)}x`,
    JSON.stringify(body).replace('"title"', '"credentials":{},"title"'),
  ];
}

/** Requests that carry secrets where clients put them, also by mistake. */
const HEADERS: Record<string, string>[] = [
  { Cookie: `session=${canary('word')}` },
  { 'Proxy-Authorization': `Basic ${canary()}` },
  { 'X-Amz-Security-Token': canary() },
  { Authorization: `Bearer ${canary()}` },
  { Authorization: `Basic ${canary()}` },
  { 'X-API-Key': canary('word') },
  { Authorization: `Bearer trb_${'a'.repeat(16)}_${canary()}` },
  { Authorization: canary('word') },
  { 'X-Auth-Token': canary('word'), Origin: 'https://elsewhere.example.com' },
  { 'X-Forwarded-For': '203.0.113.9', Via: `1.1 user:${canary('word')}@proxy` },
];
const QUERIES = ['access_token', 'api_key', 'x'].map((name) => `${name}=${canary('word')}`);

it('good requests, bad ones and faults of ours show no secret in an answer or a log line', async () => {
  const replaced = canary();
  const links = new Map<ChannelType, string>();
  for (const type of TYPES) {
    const answer = await send('POST', '/link', linkOf(type), { 'Idempotency-Key': `once-${type}` });
    expect([type, answer.status]).toEqual([type, 201]);
    links.set(type, (answer.json() as { id: string }).id);
    await send('POST', '/link', linkOf(type), { 'Idempotency-Key': `once-${type}` });
    const mismatch = { ...linkOf(type), title: 'Other' };
    await send('POST', '/link', mismatch, { 'Idempotency-Key': `once-${type}` });
    for (const body of spoilt(type)) {
      const refused = await send('POST', '/link', body);
      expect([type, refused.status, JSON.stringify(body).slice(0, 60)]).toEqual([
        type,
        400,
        expect.any(String),
      ]);
    }
    const id = links.get(type) ?? '';
    const connect = (credentials: unknown) =>
      send('PUT', `/link/credentials?id=${id}`, { credentials });
    await connect({ ...SECRETS[type], extra: replaced });
    expect((await connect(SECRETS[type])).status).toBe(200);
    expect(await loadCredentials(api.db, api.box, id)).toMatchObject({
      value: SECRETS[type],
    });
    for (const path of [`/link/coverage?id=${id}&start=2026-11-01&end=2026-11-02`, '/link']) {
      expect((await send('GET', path)).status).toBe(200);
    }
  }
  await send('PUT', '/link/credentials?id=nosuch', { credentials: { accessToken: replaced } });
  for (const headers of HEADERS) {
    for (const path of ['/link', '/nothing', '/openapi.json'])
      await send('GET', path, undefined, headers);
    await send('DELETE', '/link?id=nosuch', undefined, headers);
  }
  for (const query of QUERIES) {
    expect((await send('GET', `/link?${query}`)).status).toBe(400);
    await send('GET', `/nothing?${query}`);
  }
  // A fault of ours that carries everything in its message, stack and cause.
  const { seal } = api.box;
  Object.assign(api.box, {
    seal() {
      const cause = new TypeError(`Authorization: Bearer ${key}`);
      throw new Error(`Cannot seal ${JSON.stringify(linkOf('SOCIAL_ADS'))}`, { cause });
    },
  });
  expect((await send('POST', '/link', linkOf('SOCIAL_ADS'))).status).toBe(500);
  Object.assign(api.box, { seal });

  expect(canaries.length).toBeGreaterThanOrEqual(30);
  expect(new Set(canaries).size).toBe(canaries.length);
  expect(lines.some((line) => line.includes('Cannot seal'))).toBe(true);
  expect(answers.length).toBeGreaterThan(150);
  const told = answers.map(({ headers, text }) => JSON.stringify(headers) + text).join('\n');
  expect(hitsIn(told)).toEqual([]);
  expect(hitsIn(lines.join('\n'))).toEqual([]);
}, 60_000);

it('stores no secret in readable form', async () => {
  const text = JSON.stringify(await api.dump(), (_, value: unknown) =>
    Buffer.isBuffer(value) ? value.toString('latin1') : value,
  );
  expect(text).toContain('SOCIAL_ADS');
  expect(hitsIn(text)).toEqual([]);
});

/** In which form a secret is in a text, if it is: as it is, or as its bytes are written elsewhere. */
function hitsIn(text: string): string[] {
  return canaries.flatMap((secret) => {
    const bytes = Buffer.from(secret);
    const forms = [secret, encodeURIComponent(secret), bytes.toString('hex'), base64Core(bytes)];
    return forms.filter((form) => text.includes(form)).map((form) => `${secret} as ${form}`);
  });
}

/** Without the last letters, which depend on what follows. */
function base64Core(bytes: Buffer): string {
  return bytes.toString('base64').replace(/.{0,3}=*$/, '');
}

it('control: the search finds each secret where it was sent', () => {
  const sent = [JSON.stringify([SECRETS, HEADERS, QUERIES]), key].join('\n');
  expect(hitsIn(sent).length).toBeGreaterThanOrEqual(canaries.length - 1);
});
