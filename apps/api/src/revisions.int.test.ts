import {
  type ObservationRow,
  ProblemSchema,
  REVISIONS_MAX,
  type RevisionRecord,
  RevisionSchema,
} from '@tributary/shared';
import { openTestApi, type TestApi } from './testing/open-test-api.ts';
import { seedLink } from './testing/seed.ts';

const now = Date.parse('2026-11-10T12:00:00Z');
const HOUR_MS = 3_600_000;
const [FIRST, SECOND] = ['2026-09-01', '2026-09-02'] as const;
let api: TestApi;
let key: string;
let other: string;

beforeAll(async () => {
  api = await openTestApi({ name: 'revisions' });
  key = await api.createKey('owner');
  other = await api.createKey('other');
});
afterAll(() => api?.close());

const row = (campaign: string, clicks: number): ObservationRow => [
  ...([campaign, '', '', '', 1000, clicks, 1_500_000, 61_500_000, clicks * 250_000] as const),
  ...([null, null] as const),
];

/** A link of a channel whose account is the sum of its campaigns, with final days that change. */
async function seedChanged() {
  const options = { type: 'PORTAL1_DA', account: '77', now, historyDays: 400 } as const;
  const seed = await seedLink(api.db, { ...options, tenant: 'owner' });
  const read = (day: string, hour: number, clicks: number) =>
    seed.collect({
      source: 'c-base',
      day,
      rows: [row('c1', clicks), row('c2', 5)],
      fetchedAt: now + hour * HOUR_MS,
    });
  await read(SECOND, 0, 10);
  await read(SECOND, 1, 12);
  await read(FIRST, 2, 20);
  await read(FIRST, 3, 20);
  await read(FIRST, 4, 21);
  await read(SECOND, 5, 11);
  return seed.link._id;
}

async function ask(query: string): Promise<RevisionRecord[]> {
  const answer = await api.ask(`/link/revisions?${query}`, { key });
  expect(answer.status).toBe(200);
  return RevisionSchema.array().parse(answer.json());
}

describe('GET /link/revisions', () => {
  it('tells what changed of final totals by day, then time, in the units of the interface', async () => {
    const id = await seedChanged();
    const found = await ask(`id=${id}&start=2026-08-01&end=2026-11-10`);
    expect(
      found.map(({ date, level, entity, at, before, after }) => [
        date,
        level,
        entity,
        new Date(at).getTime() - now,
        before.clicks,
        after.clicks,
      ]),
    ).toEqual([
      [FIRST, 'adAccount', '77', 4 * HOUR_MS, 25, 26],
      [FIRST, 'campaign', 'c1', 4 * HOUR_MS, 20, 21],
      [SECOND, 'adAccount', '77', HOUR_MS, 15, 17],
      [SECOND, 'campaign', 'c1', HOUR_MS, 10, 12],
      [SECOND, 'adAccount', '77', 5 * HOUR_MS, 17, 16],
      [SECOND, 'campaign', 'c1', 5 * HOUR_MS, 12, 11],
    ]);
    expect(found[1]).toEqual({
      date: FIRST,
      level: 'campaign',
      entity: 'c1',
      at: '2026-11-10T16:00:00.000Z',
      before: {
        impressions: 1000,
        clicks: 20,
        conversions: 1.5,
        amount: 61.5,
        spend: 5,
        rimp: null,
        reach: null,
      },
      after: {
        impressions: 1000,
        clicks: 21,
        conversions: 1.5,
        amount: 61.5,
        spend: 5.25,
        rimp: null,
        reach: null,
      },
    });
  });

  it('tells one level and range where asked, and nothing where nothing changed', async () => {
    const id = await seedChanged();
    const accounts = await ask(`id=${id}&start=${FIRST}&end=${FIRST}&level=adAccount`);
    expect(accounts.map(({ level, date }) => [level, date])).toEqual([['adAccount', FIRST]]);
    expect(await ask(`id=${id}&start=${FIRST}&end=${SECOND}&level=adGroup`)).toEqual([]);
    expect(await ask(`id=${id}&start=2026-09-03&end=2026-11-10`)).toEqual([]);
  });

  it("is 404 for another tenant's link, and 400 for a level that there is not", async () => {
    const id = await seedChanged();
    const query = `id=${id}&start=${FIRST}&end=${SECOND}`;
    const foreign = await api.ask(`/link/revisions?${query}`, { key: other });
    expect(ProblemSchema.parse(foreign.json())).toMatchObject({
      status: 404,
      code: 'link_not_found',
    });
    const wrong = await api.ask(`/link/revisions?${query}&level=blog`, { key });
    expect(ProblemSchema.parse(wrong.json()).errors).toMatchObject([
      { in: 'query', name: 'level' },
    ]);
  });

  it('refuses more than it can send at once and names the last end that fits', async () => {
    const id = await seedChanged();
    const revisions = api.db.db.collection<{ _id: string; n: number }>('revisions');
    const ofFirst = { _id: new RegExp(`^${id}[.]77[.]c[.]${SECOND}`) };
    await revisions.updateMany(ofFirst, { $set: { n: REVISIONS_MAX } });
    const query = `id=${id}&start=${FIRST}&end=${SECOND}`;
    const refused = await api.ask(`/link/revisions?${query}`, { key });
    expect(ProblemSchema.parse(refused.json())).toMatchObject({
      status: 400,
      code: 'range_too_large',
      detail: expect.stringContaining(`the last end that fits is ${FIRST}`),
    });
    expect(await ask(`id=${id}&start=${FIRST}&end=${FIRST}`)).toHaveLength(2);
  });
});
