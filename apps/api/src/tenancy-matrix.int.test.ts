import { API_SCOPES, type ApiScope, revokeApiKey } from '@tributary/database';
import { ProblemSchema } from '@tributary/shared';
import type { Route } from './http/define-route.ts';
import { createRoutes } from './routes.ts';
import { type Answer, openTestApi, type TestApi } from './testing/open-test-api.ts';
import { requestOf, type Values, valuesOf } from './testing/route-request.ts';
import { declaredOf, type Input, routeName } from './testing/route-table.ts';
import { KINDS, type Kind, type SeededTenant, seedTenant } from './testing/seed-tenant.ts';

const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });

let api: TestApi;
/** Asks for what is the other's. */
let asker: SeededTenant;
let owner: SeededTenant;
let stored: Stored;
/** Of the asker, by their scopes. */
const scopedKeys = new Map<string, string>();
let revokedKey = '';
beforeAll(async () => {
  api = await openTestApi({ name: 'tenancy' });
  asker = await seedTenant(api, { word: 'alfa', number: '731564625' });
  owner = await seedTenant(api, { word: 'bravo', number: '418273645' });
  for (const scope of API_SCOPES) {
    for (const scopes of lackingOf(scope)) {
      scopedKeys.set(scopes.join(), await api.createKey(asker.tenant, scopes));
    }
  }
  revokedKey = await api.createKey(asker.tenant);
  const [, id = ''] = revokedKey.split('_');
  await revokeApiKey(api.db, id, api.clock.now());
  stored = await snapshot();
}, 60_000);
afterAll(() => api?.close());

type Doc = Record<string, unknown>;
type Stored = Record<string, Doc[]>;

/** Every document with the types of its values, so that it can be put back. */
async function snapshot(): Promise<Stored> {
  const collections = await api.db.db.collections();
  const entries = collections.map(async (one) => [
    one.collectionName,
    await one.find({}, { promoteValues: false }).sort({ _id: 1 }).toArray(),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

async function restore(): Promise<void> {
  for (const one of await api.db.db.collections()) {
    await one.deleteMany({});
    const docs = stored[one.collectionName] ?? [];
    if (docs.length > 0) await one.insertMany(docs);
  }
}

/** What is a tenant's: documents that say so, and all below its name and its links. */
function ownedBy({ tenant, ids }: SeededTenant, all: Stored): Stored {
  const links = Object.entries(ids).flatMap(([kind, id]) => (kind.endsWith(' link') ? [id] : []));
  const isOwn = ({ _id, ...doc }: Doc) =>
    doc.tenant === tenant ||
    [tenant, ...links].some((name) => String(_id) === name || String(_id).startsWith(`${name}.`));
  return Object.fromEntries(Object.entries(all).map(([name, docs]) => [name, docs.filter(isOwn)]));
}

interface Sent {
  values: Values;
  key: string | null;
  headers?: Record<string, string>;
}

async function ask(route: Route, { values, key, headers = {} }: Sent): Promise<Answer> {
  const { path, ...request } = requestOf(route, values);
  return api.ask(path, { ...request, headers: { ...request.headers, ...headers }, key });
}

/** An id in the form of another, which exists nowhere. */
function nowhere(id: string): string {
  return Array.from(id, (letter) => {
    if (/\d/.test(letter)) return String(9 - Number(letter));
    const first = /[a-z]/.test(letter) ? 97 : /[A-Z]/.test(letter) ? 65 : 0;
    if (first === 0) return letter;
    return String.fromCharCode(first + ((letter.charCodeAt(0) - first + 13) % 26));
  }).join('');
}

function withValue(values: Values, name: string, input: Input, value: string): Values {
  const replaced = 'replaces' in input ? input.replaces : [];
  const kept = Object.entries(values).filter(([one]) => !replaced.includes(one));
  return { ...Object.fromEntries(kept), [name]: value };
}

const SHOWN_MAX = 100;

/** An answer without what may differ between two requests: the id that was asked for, and what is made anew. */
function comparable({ status, headers, bytes }: Answer, sent: readonly string[]) {
  const forms = sent.flatMap((value) => [
    value,
    encodeURIComponent(value),
    new URLSearchParams({ value }).toString().slice('value='.length),
    JSON.stringify(value).slice(1, -1),
    value.slice(0, SHOWN_MAX),
  ]);
  const hide = (text: string) => {
    let hidden = text;
    for (const form of forms) hidden = hidden.replaceAll(form, '<sent>');
    if (status !== 201 && status !== 202) return hidden;
    return hidden.replaceAll(/\b[a-z2-7]{16}\b/g, '<made>').replaceAll(/"idx":\d+/g, '<made>');
  };
  const { date: _, 'x-request-id': requestId, ...told } = headers;
  const kept = Object.entries(told).filter(([name]) => !name.startsWith('ratelimit'));
  return {
    status,
    headers: kept.map(([name, value]) => `${name}: ${hide(String(value))}`),
    body: hide(bytes.toString('latin1').replaceAll(String(requestId), '<request>')),
  };
}

/** What an answer holds of the owner besides what was sent to ask for it. */
function leaksOf(answer: Answer, sent: readonly string[]): string[] {
  const text = JSON.stringify([answer.headers, answer.text]);
  return owner.canaries.filter(
    (canary) =>
      !sent.some((value) => value.includes(canary)) &&
      (text.includes(canary) || text.includes(JSON.stringify(canary).slice(1, -1))),
  );
}

interface Cell {
  name: string;
  foreign: Values;
  unknown: Values;
  headers?: Record<string, string>;
}

const namingOf = (route: Route) =>
  Object.entries(declaredOf(route)).flatMap(([place, input]) =>
    'identifies' in input ? [[place, input] as const] : [],
  );
/** In which else the owner's own request is tried. */
const formsOf = ({ path }: Route): Record<string, string>[] =>
  path.startsWith('/data/') ? [{}, { Accept: 'text/csv' }, { 'Accept-Encoding': 'gzip' }] : [{}];

function countCells(route: Route): number {
  return namingOf(route).length * KINDS.length + formsOf(route).length;
}

/** Every place that names something × everything of the owner, and whole requests as the owner sends them. */
function cellsOf(route: Route): Cell[] {
  const own = valuesOf(route, asker.ids);
  const single = namingOf(route).flatMap(([place, input]) =>
    KINDS.map((kind) => ({
      name: `${place} is a foreign ${kind}`,
      foreign: withValue(own, place, input, owner.ids[kind]),
      unknown: withValue(own, place, input, nowhere(owner.ids[kind])),
    })),
  );
  const invented = Object.fromEntries(KINDS.map((kind) => [kind, nowhere(owner.ids[kind])]));
  const whole = {
    name: "the owner's own request",
    foreign: valuesOf(route, owner.ids),
    unknown: valuesOf(route, invented as Record<Kind, string>), // the same kinds
  };
  return [...single, ...formsOf(route).map((headers) => ({ ...whole, headers }))];
}

/** The values of a request that the other one does not have. */
const differing = (values: Values, other: Values) =>
  Object.entries(values).flatMap(([name, value]) => (other[name] === value ? [] : [String(value)]));

/** What is wrong with the answer to a cell, in words for the one who has to mend it. */
async function faultsOf(route: Route, { name, foreign, unknown, headers = {} }: Cell) {
  const { key } = asker;
  const answer = await ask(route, { values: foreign, key, headers });
  const expected = await ask(route, { values: unknown, key, headers });
  const sent = differing(foreign, unknown);
  const got = JSON.stringify(comparable(answer, sent));
  const wanted = JSON.stringify(comparable(expected, differing(unknown, foreign)));
  const leaks = leaksOf(answer, sent);
  return [
    ...(got === wanted ? [] : [{ name, got, wanted }]),
    ...(leaks.length === 0 ? [] : [{ name, leaks, text: answer.text }]),
  ];
}

const isReading = ({ method }: Route) => method === 'GET';
const table = routes.map((route) => [routeName(route), route] as const);
const all = routes.reduce((sum, route) => sum + countCells(route), 0);

describe(`a tenant that asks for what is of another one, in ${all} ways`, () => {
  it.each(table)(
    '%s: is answered as for ids that exist nowhere, and changes nothing of it',
    async (_, route) => {
      const before = ownedBy(owner, await snapshot());
      const own = { values: valuesOf(route, owner.ids), key: owner.key };
      const ownersText = isReading(route) ? (await ask(route, own)).text : '';
      const cells = cellsOf(route);
      expect(cells).toHaveLength(countCells(route));
      // Readers ask at once, the owner among them: what their requests share must not mix them.
      const atOnce = isReading(route) ? 8 : 1;
      const faults: unknown[] = [];
      for (let start = 0; start < cells.length; start += atOnce) {
        const slice = cells.slice(start, start + atOnce);
        const asking = Promise.all(slice.map((cell) => faultsOf(route, cell)));
        if (isReading(route)) expect((await ask(route, own)).text).toBe(ownersText);
        faults.push(...(await asking).flat());
      }
      expect(faults).toEqual([]);
      expect(ownedBy(owner, await snapshot())).toEqual(before);
      if (!isReading(route)) await restore();
    },
    60_000,
  );

  it("leaves no document that is nobody's: the comparison covers the whole database", () => {
    const owned = [asker, owner].map((tenant) => ownedBy(tenant, stored));
    for (const [name, docs] of Object.entries(stored)) {
      const count = owned.reduce((sum, own) => sum + (own[name]?.length ?? 0), 0);
      const ofOthers = docs.filter(({ tenant }) => tenant === 'test').length;
      expect([name, count]).toEqual([name, docs.length - ofOthers]);
    }
    const empty = Object.entries(owned[1] ?? {}).filter(([, docs]) => docs.length === 0);
    expect(empty.map(([name]) => name).sort()).toEqual(['imports', 'requestCounts']); // of files under way, of limits
  });
});

/** Where a name is given, and nothing asked for: whatever it is, the answer is the same. */
const GIVING = new Set([
  'POST /comment body.key',
  'POST /link body.tag',
  'POST /link body.settings.accountIds[]',
  'PUT /link query.tag',
]);

describe('control: with the key of the owner', () => {
  it.each(table)('%s tells what exists from what does not', async (name, route) => {
    for (const [place, input] of namingOf(route)) {
      const isOfOther = input.identifies === 'etag' && name !== 'GET /data/campaign';
      if (isOfOther || GIVING.has(`${name} ${place}`)) continue;
      const id = owner.ids[input.identifies];
      const own = valuesOf(route, owner.ids);
      const { key } = owner;
      const known = await ask(route, { values: withValue(own, place, input, id), key });
      if (!isReading(route)) await restore();
      const invented = withValue(own, place, input, nowhere(id));
      const unknown = await ask(route, { values: invented, key });
      expect([place, comparable(known, [id])]).not.toEqual([
        place,
        comparable(unknown, [nowhere(id)]),
      ]);
      if (!isReading(route)) await restore();
    }
  });

  it.each(table.filter(([, route]) => isReading(route)))(
    '%s shows what must not be shown to others',
    async (_, route) => {
      const answer = await ask(route, { values: valuesOf(route, owner.ids), key: owner.key });
      expect(answer.status).toBe(200);
      expect(leaksOf(answer, [])).not.toEqual([]);
    },
  );
});

/** All keys that lack a scope: those with one other, and the one with all others. */
function lackingOf(scope: ApiScope): ApiScope[][] {
  const others = API_SCOPES.filter((one) => one !== scope);
  return [...others.map((one) => [one]), others];
}

describe('a key that lacks the scope of a route', () => {
  it.each(table)('%s: is 403 and changes nothing', async (_, route) => {
    const values = valuesOf(route, asker.ids);
    for (const scopes of lackingOf(route.scope)) {
      const key = scopedKeys.get(scopes.join()) ?? null;
      const answer = await ask(route, { values, key });
      expect([scopes, answer.status, ProblemSchema.parse(answer.json()).code]).toEqual([
        scopes,
        403,
        'forbidden',
      ]);
      expect(answer.text).toContain(`The key lacks the scope '${route.scope}'`);
    }
    expect(await snapshot()).toEqual(stored);
  });

  it('the scope admin opens nothing at all', () => {
    expect(routes.map(({ scope }) => scope as string)).not.toContain('admin');
  });
});

describe('without a valid key', () => {
  it('every route is 401 with one and the same body, and changes nothing', async () => {
    const { key } = asker;
    const bodies = new Set<string>();
    for (const route of routes) {
      const values = valuesOf(route, asker.ids);
      for (const wrong of [null, 'x', key.slice(0, -1), nowhere(key), revokedKey]) {
        const { status, text } = await ask(route, { values, key: wrong });
        bodies.add(`${status} ${text.replace(/"requestId":"[^"]+"/, '')}`);
      }
    }
    expect([...bodies]).toEqual([expect.stringMatching(/^401 .*"code":"unauthenticated"/)]);
    expect(await snapshot()).toEqual(stored);
  });
});

it('the queue page is not there, whatever the key', async () => {
  for (const path of ['/queues', '/queues/', '/queues/api/queues', '/metrics', '/livez']) {
    const answer = await api.ask(path, { key: scopedKeys.get('admin') ?? null });
    expect([path, answer.status]).toEqual([path, 404]);
  }
});
