import { createApiKey, encodeId } from '@tributary/database';
import type { TestApi } from './open-test-api.ts';
import { type Ask, FINAL_DAY, type LinkOptions, seedLinks } from './seed-links.ts';

/** Whatever names something that belongs to a tenant. */
export const KINDS = [
  'social link',
  'search engine link',
  'search ad link',
  'keyword link',
  'display link',
  'feed link',
  'blog link',
  'account',
  'ad account',
  'campaign',
  'ad group',
  'ad',
  'feed campaign',
  'run',
  'comment key',
  'comment number',
  'tag',
  'links cursor',
  'comments cursor',
  'entities cursor',
  'revisions cursor',
  'changes cursor',
  'idempotency key',
  'etag',
  'api key',
  'tenant',
] as const;
export type Kind = (typeof KINDS)[number];

export interface SeededTenant {
  tenant: string;
  /** With all scopes of clients. */
  key: string;
  /** A thing of each kind. */
  ids: Readonly<Record<Kind, string>>;
  /** Texts and figures that are in no other tenant's data. */
  canaries: readonly string[];
}

/** A tenant that has something of everything, made as clients and workers make it. */
export async function seedTenant(
  api: TestApi,
  seed: Pick<LinkOptions, 'word' | 'number'>,
): Promise<SeededTenant> {
  const { word, number } = seed;
  const [tenant, tag] = [`${word}-tenant`, `${word} tag`];
  const scopes = ['read', 'write', 'refresh'] as const;
  const created = { tenant, scopes, title: word, now: api.clock.now() };
  const { id: apiKey, key } = await createApiKey(api.db, created);
  const ask = createAsk(api, key);
  const links = await seedLinks(api, ask, { ...seed, tenant, tag });
  const comments = await seedComments(api, ask, { ...seed, tenant });
  const run = (await ask('POST', '/refresh', { id: links['blog link'] })).json() as { id: string };
  const named = {
    ...links,
    ...comments,
    'ad account': `${number}01`,
    campaign: `${word}-campaign`,
    'ad group': `${word}-group`,
    ad: `${word}-ad`,
    'feed campaign': `${number}02`,
    run: run.id,
    tag,
    'api key': apiKey,
    tenant,
  };
  const ids = { ...named, ...(await readCursors(ask, named)) };
  return { tenant, key, ids, canaries: [...new Set([word, number, ...Object.values(ids)])] };
}

function createAsk(api: TestApi, key: string): Ask {
  return async (method, path, body, headers = {}) => {
    const answer = await api.ask(path, {
      method,
      key,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  };
}

async function seedComments(
  api: TestApi,
  ask: Ask,
  { word, number, tenant }: Omit<LinkOptions, 'tag'>,
) {
  // Far from the numbers of another tenant's comments.
  const counter = { _id: `${encodeId(tenant)}.comments`, tenant, n: Number(`${number}00000`) };
  await api.db.db.collection<typeof counter>('counters').insertOne(counter);
  const comment = { key: `${word} key`, title: `${word} comment`, contents: `${word} contents` };
  const once = `${word}-once`;
  const filed = await ask('POST', '/comment', comment, { 'Idempotency-Key': once });
  await ask('POST', '/comment', { ...comment, title: `${word} comment 2` });
  const { idx } = filed.json() as { idx: number };
  return { 'comment key': comment.key, 'comment number': String(idx), 'idempotency key': once };
}

/** The cursors of second pages, and the ETag of a campaign's days. */
async function readCursors(
  ask: Ask,
  ids: Readonly<Record<'social link' | 'feed link' | 'comment key' | 'tag' | 'campaign', string>>,
) {
  const { 'social link': social, 'feed link': feed, 'comment key': key, tag, campaign } = ids;
  const cursorOf = async (path: string) => {
    const { headers } = await ask('GET', `${path}&limit=1`);
    const [, cursor] = /cursor=([^>&]+)/.exec(String(headers.link)) ?? [];
    if (cursor === undefined) throw new Error(`${path} has no second page`);
    return decodeURIComponent(cursor);
  };
  const days = `start=${FINAL_DAY}&end=2026-09-02`;
  const range = 'start=2026-11-01&end=2026-11-09';
  const changes = (await ask('GET', '/changes?limit=1')).json() as { cursor: string };
  const day = await ask('GET', `/data/campaign?id=${social}&value=${campaign}&${range}`);
  return {
    'links cursor': await cursorOf(`/link?tag=${encodeURIComponent(tag)}`),
    'comments cursor': await cursorOf(`/comment?key=${encodeURIComponent(key)}`),
    'entities cursor': await cursorOf(`/link/entities?id=${social}&level=campaign`),
    'revisions cursor': await cursorOf(`/link/revisions?id=${feed}&${days}`),
    'changes cursor': changes.cursor,
    etag: String(day.headers.etag),
  };
}
