import {
  createApiKey,
  encodeId,
  findLink,
  saveTreeState,
  setLinkStatus,
  updateLink,
} from '@tributary/database';
import type { BlogDay, ChannelType, Entity, Figures } from '@tributary/shared';
import type { TestApi } from './open-test-api.ts';
import { BLOG_DAY, type Seed, seedLink } from './seed.ts';

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

interface SeedOptions {
  /** In every text. */
  word: string;
  /** In every figure, and the beginning of every number that names something: nine digits from 1 to 8. */
  number: string;
}

const OTHERS = {
  'search engine link': {
    type: 'SEARCH_ENGINE_ADS',
    names: ['clientId', 'clientSecret', 'refreshToken', 'developerToken'],
  },
  'keyword link': { type: 'PORTAL2_KEYWORD', names: ['businessToken'] },
  'display link': { type: 'PORTAL2_DISPLAY', names: ['businessToken'] },
} as const;
const DAY = '2026-11-08';
const FINAL_DAY = '2026-09-01';

/** A tenant that has something of everything, made as clients and workers make it. */
export async function seedTenant(
  api: TestApi,
  { word, number }: SeedOptions,
): Promise<SeededTenant> {
  const now = api.clock.now();
  const tenant = `${word}-tenant`;
  const scopes = ['read', 'write', 'refresh'] as const;
  const { id: apiKey, key } = await createApiKey(api.db, { tenant, scopes, title: word, now });
  const tag = `${word} tag`;
  const ask = async (method: string, path: string, body?: object, headers = {}) => {
    const answer = await api.ask(path, {
      method,
      key,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  };
  const addLink = async (type: ChannelType, names: readonly string[], extra = {}) => {
    const secrets = Object.fromEntries(names.map((name) => [name, `${word}-${name}`]));
    const credentials = { ...secrets, ...extra };
    const body = { type, title: `${word} title`, tag, credentials };
    return ((await ask('POST', '/link', body)).json() as { id: string }).id;
  };
  const social = await seedSocial(api, { tenant, tag, word, number });
  const feed = await seedFeed(api, { tenant, tag, word, number });
  const blog = await seedBlog(api, { tenant, tag, word, number });
  for (const { link } of [social, feed, blog]) {
    await updateLink(api.db, link, { title: `${word} ${link.type}` });
  }
  const links = {
    'social link': social.link._id,
    'feed link': feed.link._id,
    'blog link': blog.link._id,
    'search ad link': await addLink('PORTAL1_SEARCH_AD', ['apiKey', 'secretKey'], {
      customerId: number,
    }),
    'search engine link': '',
    'keyword link': '',
    'display link': '',
  };
  for (const [kind, { type, names }] of Object.entries(OTHERS)) {
    links[kind as keyof typeof OTHERS] = await addLink(type, names); // its keys
  }
  const broken = await findLink(api.db, tenant, links['keyword link']);
  await setLinkStatus(api.db, links['keyword link'], {
    status: 'Disconnect',
    reason: { code: 'grant_lost', message: `${word} reason` },
    gen: broken?.gen ?? 0,
  });
  // Far from the numbers of another tenant's comments.
  const counter = { _id: `${encodeId(tenant)}.comments`, tenant, n: Number(`${number}00000`) };
  await api.db.db.collection<typeof counter>('counters').insertOne(counter);
  const comment = { key: `${word} key`, title: `${word} comment`, contents: `${word} contents` };
  const once = { 'Idempotency-Key': `${word}-once` };
  const filed = (await ask('POST', '/comment', comment, once)).json() as { idx: number };
  await ask('POST', '/comment', { ...comment, title: `${word} comment 2` });
  const run = (await ask('POST', '/refresh', { id: blog.link._id })).json() as { id: string };
  const cursorOf = async (path: string) => {
    const { headers } = await ask('GET', `${path}&limit=1`);
    const [, cursor] = /cursor=([^>&]+)/.exec(String(headers.link)) ?? [];
    if (cursor === undefined) throw new Error(`${path} has no second page`);
    return decodeURIComponent(cursor);
  };
  const days = `start=${FINAL_DAY}&end=2026-09-02`;
  const changes = (await ask('GET', '/changes?limit=1')).json() as { cursor: string };
  const range = 'start=2026-11-01&end=2026-11-09';
  const day = await ask(
    'GET',
    `/data/campaign?id=${social.link._id}&value=${word}-campaign&${range}`,
  );
  const ids = {
    ...links,
    account: social.account,
    'ad account': `${number}01`,
    campaign: `${word}-campaign`,
    'ad group': `${word}-group`,
    ad: `${word}-ad`,
    'feed campaign': `${number}02`,
    run: run.id,
    'comment key': comment.key,
    'comment number': String(filed.idx),
    tag,
    'links cursor': await cursorOf(`/link?tag=${encodeURIComponent(tag)}`),
    'comments cursor': await cursorOf(`/comment?key=${encodeURIComponent(comment.key)}`),
    'entities cursor': await cursorOf(`/link/entities?id=${social.link._id}&level=campaign`),
    'revisions cursor': await cursorOf(`/link/revisions?id=${feed.link._id}&${days}`),
    'changes cursor': changes.cursor,
    'idempotency key': `${word}-once`,
    etag: String(day.headers.etag),
    'api key': apiKey,
    tenant,
  };
  return { tenant, key, ids, canaries: [...new Set([word, number, ...Object.values(ids)])] };
}

interface LinkOptions extends SeedOptions {
  tenant: string;
  tag: string;
}

const common = ({ db, clock }: TestApi, { tenant, tag }: LinkOptions) =>
  [db, { now: clock.now(), historyDays: 30, tenant, tag }] as const;

async function seedSocial(api: TestApi, options: LinkOptions): Promise<Seed> {
  const { word, number } = options;
  const account = `${number}01`;
  const names = { campaign: `${word}-campaign`, group: `${word}-group`, ad: `${word}-ad` };
  const entity = (level: Entity['level'], id: string, parent: string): Entity => ({
    level,
    id,
    parent,
    title: `${word} entity`,
    status: 'active',
  });
  const [db, shared] = common(api, options);
  const seed = await seedLink(db, {
    ...shared,
    type: 'SOCIAL_ADS',
    account,
    entities: [
      entity('a', account, ''),
      entity('c', names.campaign, account),
      entity('c', `${names.campaign}-2`, account),
      entity('g', names.group, names.campaign),
      entity('d', names.ad, names.group),
    ],
  });
  const figures: Figures = [Number(number), 9, 0, 0, 5_000_000, null, 7];
  const collect = (source: string, rows: Parameters<Seed['collect']>[0]['rows']) =>
    seed.collect({ source, day: DAY, rows, fetchedAt: shared.now });
  await collect('c-region', [[names.campaign, '', '', `${word} region`, ...figures]]);
  await collect('a-base', [['', '', '', '', ...figures]]);
  await collect('c-base', [[names.campaign, '', '', '', ...figures]]);
  await collect('g-base', [[names.campaign, names.group, '', '', ...figures]]);
  await collect('d-base', [[names.campaign, names.group, names.ad, '', ...figures]]);
  return seed;
}

/** A link that takes files, with a final day that was changed. */
async function seedFeed(api: TestApi, options: LinkOptions): Promise<Seed> {
  const { word, number } = options;
  const [account, campaign] = [`${number}03`, `${number}02`];
  const [db, shared] = common(api, options);
  const title = `${word} entity`;
  const seed = await seedLink(db, {
    ...shared,
    historyDays: 400,
    type: 'PORTAL1_DA',
    account,
    entities: [
      { level: 'a', id: account, parent: '', title, status: 'active' },
      { level: 'c', id: campaign, parent: account, title, status: 'active' },
    ],
  });
  await saveTreeState(db, seed.account, { tree: { fetchedAt: shared.now } });
  for (const hour of [0, 1]) {
    await seed.collect({
      source: 'c-base',
      day: FINAL_DAY,
      rows: [[campaign, '', '', '', Number(number) + hour, 9, 0, 0, 5_000_000, null, null]],
      fetchedAt: shared.now + hour * 3_600_000,
    });
  }
  return seed;
}

async function seedBlog(api: TestApi, options: LinkOptions): Promise<Seed> {
  const { word, number } = options;
  const [db, shared] = common(api, options);
  const seed = await seedLink(db, {
    ...shared,
    type: 'PORTAL1_BLOG',
    account: `${word}-blog`,
    settings: { feedUrl: `https://${word}.example.com` },
  });
  const day: BlogDay = {
    ...BLOG_DAY,
    pageViews: Number(number),
    referrers: [{ id: 'r', title: `${word} referrer`, count: 5, detail: [] }],
    posts: [{ id: 'p', title: `${word} post`, views: 5, type: 'post', writtenOn: DAY }],
  };
  await seed.collect({
    source: 'blog-days',
    set: 'blog',
    day: DAY,
    rows: [day],
    fetchedAt: shared.now,
  });
  return seed;
}
