import {
  accountKey,
  findAccount,
  LINK_ACCOUNT,
  loadCredentials,
  saveAccounts,
  saveUpstreamChanges,
  upsertEntities,
} from '@tributary/database';
import {
  type Entity,
  type EntityRecord,
  LinkCoverageSchema,
  type LinkRecord,
  LinkSchema,
  type ObservationRow,
  ProblemSchema,
} from '@tributary/shared';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { BLOG_DAY, seedLink } from './testing/seed.ts';

const now = Date.parse('2026-11-10T12:00:00Z');
let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'links' });
});
afterAll(() => api?.close());

const newKey = () => api.createKey(`tenant-${Math.random().toString(36).slice(2)}`);

const BLOG = { type: 'PORTAL1_BLOG', title: 'Blog', credentials: { feedToken: 'canary-token' } };
const ADS = { type: 'SOCIAL_ADS', title: 'Ads', credentials: { accessToken: 'canary-token' } };

const post = (body: object, key: string, path = '/link', method = 'POST') =>
  api.ask(path, {
    method,
    key,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

async function create(body: object, key: string): Promise<LinkRecord> {
  const answer = await post(body, key);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return LinkSchema.parse(answer.json());
}

describe('/link', () => {
  it('creates a Linking record, seals its credentials and has its accounts searched', async () => {
    const key = await newKey();
    const settings = { feedUrl: 'https://feed.example.com/x', historyDays: 30 };
    const answer = await post({ ...BLOG, tag: ' shoes ', settings }, key);
    const { id } = LinkSchema.parse(answer.json());
    expect(answer.text).toBe(
      `{"id":"${id}","title":"Blog","status":"Linking","type":"PORTAL1_BLOG","tag":" shoes "}`,
    );
    expect((await loadCredentials(api.db, api.box, id)).value).toEqual({
      feedToken: 'canary-token',
    });
    expect(JSON.stringify(await api.dump())).not.toContain('canary-token');
    expect(await findAccount(api.db, accountKey(id, LINK_ACCOUNT))).toMatchObject({
      link: id,
      nextPlanAt: now,
      gen: 1,
      wake: 1,
    });
    const links = api.db.db.collection<{ _id: string; settings: unknown }>('links');
    expect((await links.findOne({ _id: id }))?.settings).toEqual(settings);
  });

  it('an advertising record has an empty child until its tree is known', async () => {
    const key = await newKey();
    const { id } = await create(ADS, key);
    const list = await api.ask('/link', { key });
    expect(list.text).toBe(
      `[{"id":"${id}","title":"Ads","status":"Linking","type":"SOCIAL_ADS","tag":"","child":[]}]`,
    );
  });

  it('shows accounts and campaigns as child, ad groups and ads by /link/entities', async () => {
    const tenant = `tree-${Math.random().toString(36).slice(2)}`;
    const key = await api.createKey(tenant);
    const entities: Entity[] = [
      { level: 'a', id: 'act_1', parent: '', title: 'Account', status: 'active' },
      { level: 'c', id: 'c1', parent: 'act_1', title: 'Gone', status: 'removed' },
      ...Array.from({ length: 5 }, (_, index): Entity => {
        return { level: 'g', id: `g.${index}`, parent: 'c1', title: `G${index}`, status: 'paused' };
      }),
    ];
    const seed = { type: 'SOCIAL_ADS', account: 'act_1', now, historyDays: 1, tenant } as const;
    const { link, account } = await seedLink(api.db, { ...seed, entities });
    const other: Entity = { level: 'g', id: 'x', parent: 'c2', title: 'X', status: 'active' };
    await upsertEntities(api.db, { tenant, link: link._id, account, entities: [other], now });
    const list = await api.ask('/link', { key });
    expect(list.text).toBe(
      `[{"id":"${link._id}","title":"SOCIAL_ADS","status":"Linking","type":"SOCIAL_ADS","tag":"","child":` +
        '[{"id":"act_1","title":"Account","level":"adAccount","status":"active","child":' +
        '[{"id":"c1","title":"Gone","level":"campaign","status":"removed"}]}]}]',
    );
    const seen: EntityRecord[] = [];
    let path = `/link/entities?id=${link._id}&level=adGroup&parent=c1&limit=2`;
    for (let page = 1; path !== ''; page += 1) {
      const answer = await api.ask(path, { key });
      expect(answer.status).toBe(200);
      seen.push(...(answer.json() as EntityRecord[]));
      const [, next] = /^<(\?[^>]+)>; rel="next"$/.exec(String(answer.headers.link)) ?? [];
      path = next ? `/link/entities${next}` : '';
      if (page > 5) throw new Error('Too many pages');
    }
    expect(seen).toEqual(
      Array.from({ length: 5 }, (_, index) => ({
        id: `g.${index}`,
        title: `G${index}`,
        level: 'adGroup',
        status: 'paused',
        parent: 'c1',
      })),
    );
    const all = await api.ask(`/link/entities?id=${link._id}&level=adGroup`, { key });
    expect(all.json()).toHaveLength(6);
    expect(all.headers.link).toBeUndefined();
  });

  it('filters by exact tag, blank = untagged, in the order of creation', async () => {
    const key = await newKey();
    const tags = ['b', 'a', '', 'B', '   '];
    const ids: string[] = [];
    for (const [index, tag] of tags.entries()) {
      api.clock.set(now + index);
      ids.push((await create({ ...BLOG, tag }, key)).id);
    }
    api.clock.set(now);
    const list = async (query: string) =>
      ((await api.ask(`/link${query}`, { key })).json() as LinkRecord[]).map(({ id }) => id);
    expect(await list('')).toEqual(ids);
    expect(await list('?tag=b')).toEqual([ids[0]]);
    expect(await list('?tag=')).toEqual([ids[2], ids[4]]);
    expect(await list('?tag=%20')).toEqual([ids[2], ids[4]]);
    expect(await list('?tag=x')).toEqual([]);
  });

  it('PUT renames, tags anew and clears the tag; neither or a blank title is 400', async () => {
    const key = await newKey();
    const { id } = await create({ ...BLOG, tag: 'old' }, key);
    const put = (query: string) => api.ask(`/link?id=${id}${query}`, { method: 'PUT', key });
    const renamed = await put('&title=New%20name');
    expect(renamed.status).toBe(200);
    expect(renamed.json()).toMatchObject({ id, title: 'New name', tag: 'old' });
    expect((await put('&tag=new')).json()).toMatchObject({ title: 'New name', tag: 'new' });
    expect((await put('&tag=')).json()).toMatchObject({ title: 'New name', tag: '' });
    for (const [query, name] of [
      ['', 'title'],
      ['&title=', 'title'],
      ['&title=+', 'title'],
      [`&title=${'x'.repeat(201)}`, 'title'],
      [`&tag=${'x'.repeat(101)}`, 'tag'],
    ]) {
      const { errors } = ProblemSchema.parse((await put(query ?? '')).json());
      expect(errors).toMatchObject([{ in: 'query', name }]);
    }
  });

  it('DELETE is 204, erases the credentials at once, and 404 the second time', async () => {
    const key = await newKey();
    const { id } = await create(BLOG, key);
    const remove = () => api.ask(`/link?id=${id}`, { method: 'DELETE', key });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect((await api.ask('/link', { key })).text).toBe('[]');
    await expect(loadCredentials(api.db, api.box, id)).rejects.toThrow('no credentials');
    expect((await api.ask(`/link?id=${id}&title=x`, { method: 'PUT', key })).status).toBe(404);
  });

  it('PUT /link/credentials checks them by channel, begins a new generation and links anew', async () => {
    const key = await newKey();
    const { id } = await create(BLOG, key);
    const links = api.db.db.collection<{ _id: string; status: string }>('links');
    await links.updateOne({ _id: id }, { $set: { status: 'Disconnect' } });
    const path = `/link/credentials?id=${id}`;
    const wrong = await post({ credentials: { accessToken: 'canary-2' } }, key, path, 'PUT');
    expect(wrong.status).toBe(400);
    expect(wrong.text).not.toContain('canary-2');
    const right = await post({ credentials: { feedToken: 'canary-2' } }, key, path, 'PUT');
    expect(right.json()).toMatchObject({ id, status: 'Linking' });
    expect((await loadCredentials(api.db, api.box, id)).value).toEqual({ feedToken: 'canary-2' });
    expect(await findAccount(api.db, accountKey(id, LINK_ACCOUNT))).toMatchObject({
      gen: 2,
      wake: 2,
    });
  });

  it('takes another name of a channel and never sends it', async () => {
    const key = await newKey();
    const credentials = { clientId: 'x', clientSecret: 'x', refreshToken: 'x' };
    const answer = await post({ type: 'OLD_DISPLAY', title: 'x', credentials }, key);
    expect(answer.status).toBe(201);
    expect(answer.json()).toMatchObject({ type: 'PORTAL1_DA', status: 'Linking' });
    const { text } = await api.ask('/link', { key });
    expect(text).toContain('"PORTAL1_DA"');
    expect(text).not.toContain('OLD_DISPLAY');
    const bad = await post({ type: 'OLD_DISPLAY', title: 'x', credentials: {} }, key);
    expect(bad.status).toBe(400);
    expect(bad.text).not.toContain('OLD_DISPLAY');
  });

  it('says 501 where the connector is not built, and 400 for a type that is none', async () => {
    const few = await openTestApi({ name: 'few_links', builtChannels: ['PORTAL1_BLOG'] });
    const body = JSON.stringify(ADS);
    const headers = { 'Content-Type': 'application/json' };
    const refused = await few.ask('/link', { method: 'POST', headers, body });
    const links = (await few.ask('/link')).text;
    await few.close();
    expect([refused.status, links]).toEqual([501, '[]']);
    const key = await newKey();
    const unknown = await post({ type: 'NOPE', title: 'x', credentials: {} }, key);
    expect(ProblemSchema.parse(unknown.json()).errors).toMatchObject([
      { in: 'body', name: 'type', message: expect.stringContaining("'NOPE'") },
    ]);
    expect((await api.ask('/link', { key })).text).toBe('[]');
  });

  it('refuses a feed inside the own network and settings that mean nothing', async () => {
    const key = await newKey();
    for (const [settings, name] of [
      [{ feedUrl: 'http://169.254.169.254/x' }, 'settings.feedUrl'],
      [{ feedUrl: 'http://localhost:9000' }, 'settings.feedUrl'],
      [{ feedUrl: 'http://feed.example.com' }, 'settings.feedUrl'],
      [{ feedUrl: 'https://me:pw@feed.example.com' }, 'settings.feedUrl'],
      [{ feedUrl: 'file:///etc/passwd' }, 'settings.feedUrl'],
      [{ feedUrl: 'nonsense' }, 'settings.feedUrl'],
      [{ timezone: 'Mars/Base' }, 'settings.timezone'],
      [{ currency: 'won' }, 'settings.currency'],
      [{ historyDays: 0 }, 'settings.historyDays'],
      [{ surprise: 1 }, 'settings.surprise'],
    ] as const) {
      const answer = await post({ ...BLOG, settings }, key);
      expect(ProblemSchema.parse(answer.json()).errors).toMatchObject([{ in: 'body', name }]);
    }
  });

  it('names the wrong setting and its value, and stores what it accepts with its defaults', async () => {
    const key = await newKey();
    const refused = await post({ ...ADS, settings: { accountIds: ['my shop'] } }, key);
    expect(refused.status).toBe(400);
    expect(ProblemSchema.parse(refused.json()).errors).toEqual([
      {
        in: 'body',
        name: 'settings.accountIds.0',
        message:
          "Invalid value 'my shop' in body.settings.accountIds.0, expected digits, with or without act_",
      },
    ]);
    const settings = { accountIds: ['act_12'], timezone: 'Asia/Seoul', currency: 'KRW' };
    const { id } = await create({ ...ADS, settings }, key);
    const links = api.db.db.collection<{ _id: string; settings: unknown }>('links');
    const stored = await links.findOne({ _id: id });
    expect(stored?.settings).toEqual({
      ...settings,
      conversion: 'omni_purchase',
      historyDays: 400,
    });
  });
});

describe('GET /link/coverage', () => {
  it('names the last end that fits where accounts and days are too many for one answer', async () => {
    const options = { type: 'SOCIAL_ADS', account: '0', now, historyDays: 1 } as const;
    const { link } = await seedLink(api.db, options);
    const account = { title: 'A', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' } as const;
    const many = Array.from({ length: 1_000 }, (_, index) => ({ ...account, id: String(index) }));
    await saveAccounts(api.db, link, many, { now, historyDays: 1, withoutFeed: false });
    const ask = (end: string) =>
      api.ask(`/link/coverage?id=${link._id}&start=2026-01-01&end=${end}`);
    const refused = await ask('2026-02-10');
    expect([refused.status, ProblemSchema.parse(refused.json()).code]).toEqual([
      400,
      'range_too_large',
    ]);
    expect(refused.text).toContain('2026-02-09');
    expect((await ask('2026-02-09')).status).toBe(200);
  }, 60_000);

  it('does not wait for what a closed account lacks', async () => {
    const options = { type: 'PORTAL1_BLOG', account: 'x', now, historyDays: 4 } as const;
    const { link, account } = await seedLink(api.db, options);
    const wanted = async () => {
      const path = `/link/coverage?id=${link._id}&start=2026-11-01&end=2026-11-30`;
      return LinkCoverageSchema.parse((await api.ask(path)).json()).days.wanted;
    };
    expect(await wanted()).toBe(4);
    const accounts = api.db.db.collection<{ _id: string }>('accounts');
    await accounts.updateOne({ _id: account }, { $set: { status: 'closed' } });
    expect(await wanted()).toBe(0);
  });

  it('says day by day what is there and what it lacks', async () => {
    const tenant = 'coverage';
    const key = await api.createKey(tenant);
    const fetchedAt = Date.parse('2026-11-09T03:00:00Z');
    const options = { account: 'x', now, historyDays: 4, tenant };
    const blog = await seedLink(api.db, { ...options, type: 'PORTAL1_BLOG' });
    const collect = (on: string, at: number) =>
      blog.collect({ source: 'blog-days', set: 'blog', day: on, rows: [BLOG_DAY], fetchedAt: at });
    await collect('2026-11-06', now);
    await collect('2026-11-08', fetchedAt);
    const ask = async (id: string) => {
      const path = `/link/coverage?id=${id}&start=2026-11-01&end=2026-11-30`;
      return LinkCoverageSchema.parse((await api.ask(path, { key })).json());
    };
    expect(await ask(blog.link._id)).toEqual({
      id: blog.link._id,
      status: 'Linking',
      reason: null,
      from: '2026-11-01',
      to: '2026-11-30',
      days: { wanted: 4, collected: 2, final: 1 },
      accounts: [
        {
          id: 'x',
          title: 'Account',
          zone: 'Asia/Seoul',
          currency: 'KRW',
          status: 'active',
          days: [
            { date: '2026-11-06', state: 'final' },
            { date: '2026-11-07', state: 'missing', parts: [{ level: 'blog', list: 'total' }] },
            { date: '2026-11-08', state: 'provisional' },
            { date: '2026-11-09', state: 'missing', parts: [{ level: 'blog', list: 'total' }] },
          ],
        },
      ],
    });
    const ads = await seedLink(api.db, { ...options, type: 'SOCIAL_ADS' });
    await ads.collect({ source: 'c-base', day: '2026-11-08', rows: [], fetchedAt });
    const coverage = await ask(ads.link._id);
    const partial = coverage.accounts[0]?.days.find(({ date }) => date === '2026-11-08');
    expect(partial?.state).toBe('partial');
    expect(partial?.parts).toContainEqual({ level: 'campaign', list: 'age' });
    expect(partial?.parts).toContainEqual({ level: 'ad', list: 'total' });
    expect(partial?.parts).not.toContainEqual({ level: 'campaign', list: 'total' });
  });

  it('names metrics that the platform no longer told when the day was read, and only those', async () => {
    const tenant = 'outlived';
    const key = await api.createKey(tenant);
    const fetchedAt = Date.parse('2026-11-08T03:00:00Z');
    const type = 'PORTAL1_SEARCH_AD';
    const campaign = { level: 'c', id: 'c1', parent: '7', title: 'C', status: 'active' } as const;
    const options = { account: '7', now, historyDays: 100, tenant, entities: [campaign] };
    const { link, collect } = await seedLink(api.db, { ...options, type });
    const row = (value: string, ad: string, sales: number | null): ObservationRow => [
      ...(['c1', 'g1', ad, value, 9, 1, sales, sales, 250_000, null, null] as const),
    ];
    for (const day of ['2026-09-23', '2026-09-24']) {
      const sales = day === '2026-09-23' ? null : 1_000_000;
      await collect({
        source: 'detail',
        set: 'g-hour',
        day,
        rows: [row('09', '', sales)],
        fetchedAt,
      });
      await collect({
        source: 'criterion',
        set: 'g-age',
        day,
        rows: [row('14-18', '', 0)],
        fetchedAt,
      });
      await collect({
        source: 'ad',
        set: 'd-base',
        day,
        rows: [row('', 'd1', 2_000_000)],
        fetchedAt,
      });
    }
    const path = `/link/coverage?id=${link._id}&start=2026-09-23&end=2026-09-24`;
    const { accounts } = LinkCoverageSchema.parse((await api.ask(path, { key })).json());
    const [old, young] = accounts[0]?.days ?? [];
    const outlived = {
      metrics: ['conversions', 'amount'],
      code: 'out_of_history',
      detail: 'The platform tells them for 45 days, and this day was read later',
    };
    expect(old?.parts).toEqual(
      ['hour', 'region'].flatMap((list) =>
        ['campaign', 'adGroup'].map((level) => ({ level, list, ...outlived })),
      ),
    );
    expect(young?.parts).toBeUndefined();
    expect([old?.state, young?.state]).toEqual(['final', 'final']);
    const asked = `/data/campaign?id=${link._id}&value=c1&start=2026-09-23&end=2026-09-24`;
    expect((await api.ask(asked, { key })).json()).toMatchObject({
      data: {
        [type]: [
          {
            total: { conversions: 2, amount: 2 },
            hour: [{ hour: '09', data: { clicks: 1, conversions: null, amount: null } }],
          },
          {
            total: { conversions: 2, amount: 2 },
            hour: [
              { hour: '09', data: { clicks: 1, conversions: 1, amount: 1 } },
              { hour: 'unattributed', data: { clicks: 0, conversions: 1, amount: 1 } },
            ],
          },
        ],
      },
    });
  });

  it('names the gap between levels while there is one, and what the platform no longer gives', async () => {
    const tenant = 'gaps';
    const key = await api.createKey(tenant);
    const fetchedAt = Date.parse('2026-11-09T03:00:00Z');
    const options = { account: 'x', now, historyDays: 4, tenant } as const;
    const { link, account, collect } = await seedLink(api.db, { ...options, type: 'SOCIAL_ADS' });
    const day = '2026-11-08';
    const ask = async () => {
      const path = `/link/coverage?id=${link._id}&start=${day}&end=${day}`;
      return LinkCoverageSchema.parse((await api.ask(path, { key })).json()).accounts[0];
    };
    const row = (campaign: string, adGroup: string, clicks: number): ObservationRow => [
      ...([campaign, adGroup, '', '', clicks * 10, clicks, 0, 0, clicks * 250_000] as const),
      ...([null, 5] as const),
    ];
    const [one, other] = [row('c1', '', 5), row('c2', '', 3)];
    await collect({ source: 'c-base', day, rows: [one, other], fetchedAt });
    expect((await ask())?.days[0]?.gaps).toBeUndefined();
    const groups = (clicks: number, at: number) =>
      collect({ source: 'g-base', day, rows: [row('c1', 'g1', clicks)], fetchedAt: at });
    await groups(5, fetchedAt + 60_000);
    const between = { level: 'adGroup', above: 'campaign' };
    const lacking = { impressions: -30, clicks: -3, spend: -0.75 };
    expect((await ask())?.days[0]?.gaps).toEqual([{ ...between, metrics: lacking }]);
    await groups(9, fetchedAt + 3_600_000);
    const above = { impressions: 10, clicks: 1, spend: 0.25 };
    expect((await ask())?.days[0]?.gaps).toEqual([{ ...between, lag: true, metrics: above }]);
    await groups(8, fetchedAt + 3_600_000);
    expect((await ask())?.days[0]?.gaps).toBeUndefined();

    expect(await ask()).not.toHaveProperty('upstreamChanges');
    const found = await findAccount(api.db, account);
    if (!found) throw new Error('no account');
    await saveUpstreamChanges(api.db, found, [
      { source: 'a-base', part: 'base', metric: 'conversions', since: day },
      { source: 'a-age', part: 'age', since: day },
    ]);
    expect((await ask())?.upstreamChanges).toEqual([
      { source: 'a-base', list: 'total', metric: 'conversions', since: day },
      { source: 'a-age', list: 'age', since: day },
    ]);
  });
});
