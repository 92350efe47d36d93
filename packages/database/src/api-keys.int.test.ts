import {
  type ApiScope,
  checkApiKey,
  createApiKey,
  findApiKey,
  isApiKeyValid,
  listApiKeys,
  revokeApiKey,
} from './api-keys.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('apikeys');
}, 60_000);
afterAll(() => test.drop());

const make = (tenant: string, expiresAt?: number) =>
  createApiKey(test.db, {
    tenant,
    scopes: ['read', 'write', 'read'],
    title: 'Dashboard',
    now: 1000,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });

async function isValid(key: string, now = 2000): Promise<boolean> {
  const checked = checkApiKey(key);
  const stored = checked && (await findApiKey(test.db, checked.id));
  return stored !== undefined && isApiKeyValid(stored, checked?.digest ?? '', now);
}

describe('createApiKey', () => {
  it('makes a key that is valid and of which only the digest is stored', async () => {
    const { id, key } = await make('t1');
    expect(key).toMatch(/^trb_[a-z2-7]{16}_[a-z2-7]{52}_[a-z2-7]{7}$/);
    expect(await isValid(key)).toBe(true);
    const stored = await findApiKey(test.db, id);
    expect(stored).toMatchObject({ tenant: 't1', scopes: ['read', 'write'], title: 'Dashboard' });
    expect(JSON.stringify(stored)).not.toContain(key.split('_')[2]);
  });

  it.each(['', ' ', 'a b', '$x', '../x', 'ä', 'x'.repeat(65)])(
    'refuses tenant %j',
    async (tenant) => {
      await expect(make(tenant)).rejects.toThrow(/tenant/);
    },
  );

  it.each([[[]], [['root']]])('refuses scopes %j', async (scopes) => {
    const input = { tenant: 't1', title: 'x', now: 1, scopes: scopes as unknown as ApiScope[] }; // not a scope
    await expect(createApiKey(test.db, input)).rejects.toThrow('Invalid scope');
  });
});

describe('a key', () => {
  it('is refused with any one character changed, nearly always without asking the database', async () => {
    const { key } = await make('t1');
    for (let at = 0; at < key.length; at += 1) {
      const changed = `${key.slice(0, at)}${key[at] === 'a' ? 'b' : 'a'}${key.slice(at + 1)}`;
      expect(checkApiKey(changed)).toBeUndefined();
    }
  });

  it('is refused under the id of another key', async () => {
    const [one, other] = [await make('t1'), await make('t2')];
    const stored = await findApiKey(test.db, other.id);
    const digest = checkApiKey(one.key)?.digest ?? '';
    expect(stored && isApiKeyValid(stored, digest, 2000)).toBe(false);
  });

  it('is refused from the moment it expires', async () => {
    const { key } = await make('t1', 5000);
    expect(await isValid(key, 4999)).toBe(true);
    expect(await isValid(key, 5000)).toBe(false);
  });

  it('is refused once revoked; the first time stays', async () => {
    const { id, key } = await make('t1');
    expect(await revokeApiKey(test.db, id, 3000)).toBe(true);
    expect(await revokeApiKey(test.db, id, 4000)).toBe(true);
    expect((await findApiKey(test.db, id))?.revokedAt).toBe(3000);
    expect(await isValid(key)).toBe(false);
    expect(await revokeApiKey(test.db, 'unknown', 3000)).toBe(false);
  });
});

describe('listApiKeys', () => {
  it("lists a tenant's keys, or all, without digests", async () => {
    const { id } = await make('list-1');
    await make('list-2');
    const own = await listApiKeys(test.db, { tenant: 'list-1' });
    expect(own.map(({ _id }) => _id)).toEqual([id]);
    expect(JSON.stringify(own)).not.toContain('digest');
    expect((await listApiKeys(test.db)).length).toBeGreaterThan(2);
  });
});
