import { findLink, saveTreeState, setLinkStatus, updateLink } from '@tributary/database';
import type { BlogDay, ChannelType, Entity, Figures } from '@tributary/shared';
import type { Answer, TestApi } from './open-test-api.ts';
import { BLOG_DAY, type Seed, seedLink } from './seed.ts';

export interface LinkOptions {
  /** In every text. */
  word: string;
  /** In every figure, and the beginning of every number that names something: nine digits from 1 to 8. */
  number: string;
  tenant: string;
  tag: string;
}

/** Asks as the tenant does; fails where it is refused. */
export type Ask = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<Answer>;

const DAY = '2026-11-08';
/** Final, and changed since. */
export const FINAL_DAY = '2026-09-01';

/** A link of every kind: those with figures as the worker stores them, the others as clients add them. */
export async function seedLinks(api: TestApi, ask: Ask, options: LinkOptions) {
  const { tenant, word, number } = options;
  const social = await seedSocial(api, options);
  const feed = await seedFeed(api, options);
  const blog = await seedBlog(api, options);
  for (const { link } of [social, feed, blog]) {
    await updateLink(api.db, link, { title: `${word} ${link.type}` });
  }
  const add = (type: ChannelType, names: readonly string[], extra = {}) =>
    addLink(ask, options, { type, names, extra });
  const keyword = await add('PORTAL2_KEYWORD', ['businessToken']);
  const links = {
    'social link': social.link._id,
    'feed link': feed.link._id,
    'blog link': blog.link._id,
    'search ad link': await add('PORTAL1_SEARCH_AD', ['apiKey', 'secretKey'], {
      customerId: number,
    }),
    'search engine link': await add('SEARCH_ENGINE_ADS', [
      'clientId',
      'clientSecret',
      'refreshToken',
      'developerToken',
    ]),
    'keyword link': keyword,
    'display link': await add('PORTAL2_DISPLAY', ['businessToken']),
  };
  await setLinkStatus(api.db, keyword, {
    status: 'Disconnect',
    reason: { code: 'grant_lost', message: `${word} reason` },
    gen: (await findLink(api.db, tenant, keyword))?.gen ?? 0,
  });
  return { ...links, account: social.account };
}

interface Added {
  type: ChannelType;
  /** Of its credentials. */
  names: readonly string[];
  extra: object;
}

async function addLink(ask: Ask, { word, tag }: LinkOptions, { type, names, extra }: Added) {
  const secrets = Object.fromEntries(names.map((name) => [name, `${word}-${name}`]));
  const credentials = { ...secrets, ...extra };
  const answer = await ask('POST', '/link', { type, title: `${word} title`, tag, credentials });
  return (answer.json() as { id: string }).id;
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
