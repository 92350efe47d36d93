import { createComment, createLink, deleteComment, deleteLink } from '@tributary/database';
import { type ObservationRow, PAGE_MAX, ProblemSchema } from '@tributary/shared';
import { type Answer, openTestApi, type TestApi } from './testing/open-test-api.ts';
import { seedLink } from './testing/seed.ts';

const now = Date.parse('2026-11-10T12:00:00Z');
const BASE_PATH = '/v1/stats';
let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ name: 'lists', env: { BASE_PATH } });
}, 60_000);
afterAll(() => api?.close());

interface Tenant {
  tenant: string;
  key: string;
}

let tenants = 0;
async function newTenant(): Promise<Tenant> {
  tenants += 1;
  const tenant = `tenant-${tenants}`;
  return { tenant, key: await api.createKey(tenant) };
}

const ask = (path: string, key: string) => api.ask(`${BASE_PATH}${path}`, { key });

/** The path of the next page, found as any client resolves a link. */
function nextOf(path: string, { headers }: Answer): string | undefined {
  if (headers.link === undefined) return undefined;
  const [, target = ''] = /^<([^>]+)>; rel="next"$/.exec(String(headers.link)) ?? [];
  const { pathname, search } = new URL(target, `http://api.example${BASE_PATH}${path}`);
  expect(pathname.startsWith(`${BASE_PATH}/`)).toBe(true);
  return `${pathname.slice(BASE_PATH.length)}${search}`;
}

type Item = Record<string, unknown>;

/** Every page of a list from its first one on; `between` runs after each. */
async function readPages(first: string, key: string, between = async (_page: number) => {}) {
  const pages: Item[][] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const answer = await ask(path, key);
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    pages.push(answer.json() as Item[]);
    path = nextOf(path, answer);
    await between(pages.length);
    if (pages.length > 50) throw new Error('The pages do not end');
  }
  return pages;
}

const addLink = ({ tenant }: Tenant, title: string, tag = '', at = now) =>
  createLink(api.db, { tenant, type: 'PORTAL1_BLOG', title, tag, settings: {}, now: at });
const addComment = ({ tenant }: Tenant, title: string, key = 'k') =>
  createComment(api.db, tenant, { key, title, contents: 'c', now });

const row = (campaign: string, clicks: number): ObservationRow => [
  ...([campaign, '', '', '', 1000, clicks, 1_500_000, 61_500_000, clicks * 250_000] as const),
  ...([null, null] as const),
];

/** Final days of three months that changed: 12 revised totals. */
async function addRevisions({ tenant }: Tenant): Promise<string> {
  const options = { type: 'PORTAL1_DA', account: '77', now, historyDays: 400 } as const;
  const seed = await seedLink(api.db, { ...options, tenant });
  for (const [hour, day] of ['2026-07-31', '2026-08-01', '2026-09-15'].entries()) {
    for (const clicks of [10, 12, 14]) {
      const fetchedAt = now + (hour * 100 + clicks) * 3_600_000;
      await seed.collect({ source: 'c-base', day, rows: [row('c1', clicks)], fetchedAt });
    }
  }
  return seed.link._id;
}

interface Listed {
  /** The list with a question mark at its end, or a parameter and `&`. */
  path: string;
  key: string;
}

const LISTS: Record<string, (owner: Tenant) => Promise<Listed>> = {
  'GET /link': async (owner) => {
    // Made in one moment, they are told apart by id alone.
    for (let n = 0; n < 7; n += 1) await addLink(owner, `L${n}`, '', now + Math.floor(n / 4));
    return { path: '/link?', key: owner.key };
  },
  'GET /link?tag=': async (owner) => {
    for (let n = 0; n < 9; n += 1) await addLink(owner, `L${n}`, n % 2 === 0 ? '' : 'a & b');
    return { path: '/link?tag=&', key: owner.key };
  },
  'GET /comment': async (owner) => {
    for (let n = 0; n < 12; n += 1) await addComment(owner, `C${n}`);
    return { path: '/comment?', key: owner.key };
  },
  'GET /comment?key': async (owner) => {
    for (let n = 0; n < 12; n += 1) await addComment(owner, `C${n}`, n % 2 ? 'ü &<>' : 'other');
    return { path: `/comment?key=${encodeURIComponent('ü &<>')}&`, key: owner.key };
  },
  'GET /link/revisions': async (owner) => {
    const id = await addRevisions(owner);
    return { path: `/link/revisions?id=${id}&start=2026-07-01&end=2026-11-10&`, key: owner.key };
  },
};

describe.each(Object.keys(LISTS))('%s in pages', (name) => {
  let owner: Tenant;
  let list: Listed;
  beforeAll(async () => {
    owner = await newTenant();
    // biome-ignore lint/style/noNonNullAssertion: a name of the table
    list = await LISTS[name]!(owner);
  }, 60_000);

  it('is the whole list, page by page, in the same order', async () => {
    const answer = await ask(list.path.slice(0, -1), list.key);
    const whole = answer.json() as Item[];
    expect(answer.headers.link).toBeUndefined();
    expect(whole.length).toBeGreaterThan(4);
    for (const limit of [1, 2, 3, whole.length - 1, whole.length, PAGE_MAX]) {
      const pages = await readPages(`${list.path}limit=${limit}`, list.key);
      expect(pages.flat()).toEqual(whole);
      expect(pages.map((page) => page.length)).toEqual(
        Array.from({ length: Math.ceil(whole.length / limit) }, (_, index) =>
          Math.min(limit, whole.length - index * limit),
        ),
      );
    }
  });

  it('goes on behind a cursor without a limit, to the end', async () => {
    const whole = (await ask(list.path.slice(0, -1), list.key)).json() as Item[];
    const first = await ask(`${list.path}limit=2`, list.key);
    const cursor = new URL(`http://x${nextOf('/link', first)}`).searchParams.get('cursor');
    const rest = await ask(`${list.path}cursor=${cursor}`, list.key);
    expect([rest.json(), rest.headers.link]).toEqual([whole.slice(2), undefined]);
  });

  it('a cursor opens no list of another tenant, route or question', async () => {
    const first = await ask(`${list.path}limit=1`, list.key);
    const cursor = new URL(`http://x${nextOf('/link', first)}`).searchParams.get('cursor') ?? '';
    const other = await newTenant();
    const foreign = [
      await ask(`${list.path}cursor=${cursor}`, other.key),
      await ask(`/changes?cursor=${cursor}`, list.key),
      await ask(`/link?tag=another&cursor=${cursor}`, list.key),
      await ask(`/comment?key=another&cursor=${cursor}`, list.key),
    ];
    for (const answer of foreign) {
      const { code, errors } = ProblemSchema.parse(answer.json());
      expect([code, errors]).toEqual([
        'invalid_request',
        [{ in: 'query', name: 'cursor', message: expect.stringContaining(cursor.slice(0, 100)) }],
      ]);
    }
  });
});

describe('pages while the list changes', () => {
  it('links: none twice, none of the old ones missing, what comes is at the end', async () => {
    const owner = await newTenant();
    const made: Awaited<ReturnType<typeof addLink>>[] = [];
    for (let n = 0; n < 8; n += 1) made.push(await addLink(owner, `L${n}`, '', now + n));
    const pages = await readPages('/link?limit=3', owner.key, async (page) => {
      if (page !== 1) return;
      const [first, , third, fourth] = made;
      if (!first || !third || !fourth) throw new Error('Too few links');
      // One that was sent, the one that the cursor names, and one that was not sent yet.
      for (const link of [first, third, fourth]) await deleteLink(api.db, link, now);
      await addLink(owner, 'new', '', now + 100);
    });
    expect(pages.flat().map(({ title }) => title)).toEqual('L0 L1 L2 L4 L5 L6 L7 new'.split(' '));
  });

  it('comments: none twice, none of the old ones missing, what comes is at the end', async () => {
    const owner = await newTenant();
    for (let n = 1; n <= 8; n += 1) await addComment(owner, `C${n}`);
    const pages = await readPages('/comment?limit=3', owner.key, async (page) => {
      if (page !== 1) return;
      for (const idx of [1, 3, 4]) await deleteComment(api.db, owner.tenant, { key: 'k', idx });
      await addComment(owner, 'new');
    });
    expect(pages.flat().map(({ idx }) => idx)).toEqual([1, 2, 3, 5, 6, 7, 8, 9]);
  });

  it('revisions: the rest follows where the one that the cursor names is gone', async () => {
    const owner = await newTenant();
    const id = await addRevisions(owner);
    const path = `/link/revisions?id=${id}&start=2026-07-01&end=2026-11-10`;
    const whole = (await ask(path, owner.key)).json() as Item[];
    const revisions = api.db.db.collection<{ _id: string }>('revisions');
    const pages = await readPages(`${path}&limit=5`, owner.key, async (page) => {
      if (page === 1) await revisions.deleteMany({ _id: new RegExp(`^${id}[.].*2026-08-01`) });
    });
    expect(pages.flat()).toEqual([...whole.slice(0, 5), ...whole.slice(8)]);
  });
});
