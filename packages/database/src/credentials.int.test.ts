import { CredentialError, createCredentialBox } from '@tributary/runtime';
import {
  eraseCredentials,
  loadCredentials,
  replaceToken,
  saveAccessToken,
  saveCredentials,
  verifyCredentialKeys,
} from './credentials.ts';
import { deleteLink } from './delete-link.ts';
import { setLinkStatus } from './link-status.ts';
import { type AuthorizedLink, createLink, findLinkById } from './links.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('credentials');
}, 60_000);
afterAll(() => test.drop());
beforeEach(() => stored().deleteMany({}));

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const box = createCredentialBox(`k1:${keyOf(1)}`);
const stored = () =>
  test.db.db.collection<{ _id: string; sealed: string; access?: unknown }>('credentials');
const CANARY = { accessToken: 'canary-token' };

async function link(tenant = 't1', type: 'SOCIAL_ADS' | 'PORTAL1_DA' = 'SOCIAL_ADS') {
  return await createLink(test.db, { tenant, type, title: 'x', tag: '', settings: {}, now: 1 });
}

async function linked(...args: Parameters<typeof link>): Promise<AuthorizedLink> {
  const made = await saveCredentials(test.db, box, await link(...args), CANARY, 5);
  if (!made) throw new Error('the link is gone');
  return made;
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof CredentialError) return error.code;
    throw error;
  }
}

describe('saveCredentials', () => {
  it('stores nothing in clear text and opens it again', async () => {
    const { _id } = await linked();
    expect(JSON.stringify(await stored().find().toArray())).not.toContain('canary');
    expect((await loadCredentials(test.db, box, _id)).value).toEqual(CANARY);
  });

  it('begins a new generation, so that an older turn cannot disconnect the link', async () => {
    const first = await linked();
    const reason = { code: 'grant_revoked', message: 'Connect again.' };
    await setLinkStatus(test.db, first._id, { status: 'Disconnect', reason, gen: first.gen });
    const second = await saveCredentials(test.db, box, first, { accessToken: 'b' }, 6);
    expect(second).toMatchObject({ gen: first.gen + 1, status: 'Linking', reason: null });
    const late = { status: 'Disconnect', reason, gen: first.gen } as const;
    expect(await setLinkStatus(test.db, first._id, late)).toBe(false);
    expect((await findLinkById(test.db, first._id))?.status).toBe('Linking');
  });

  it('ends with one of 20 racing values, each counted as a generation', async () => {
    const one = await link();
    const race = Array.from({ length: 20 }, (_, index) =>
      saveCredentials(test.db, box, one, { index }, 5),
    );
    await Promise.all(race);
    expect((await findLinkById(test.db, one._id))?.gen).toBe(20);
    expect((await loadCredentials(test.db, box, one._id)).value).toEqual({
      index: expect.any(Number) as number,
    });
  });

  it('leaves nothing behind for a link that is deleted', async () => {
    const one = await linked();
    await deleteLink(test.db, one, 9);
    expect(await saveCredentials(test.db, box, one, CANARY, 10)).toBeUndefined();
    expect(await stored().countDocuments()).toBe(0);
  });

  it('leaves nothing behind when deletion and saving race', async () => {
    for (let round = 0; round < 20; round += 1) {
      const one = await link();
      await Promise.all([
        saveCredentials(test.db, box, one, CANARY, 5),
        deleteLink(test.db, one, 6),
      ]);
      expect(await stored().countDocuments({ _id: one._id })).toBe(0);
    }
  });
});

describe('loadCredentials', () => {
  it.each([
    ['another link of the tenant', 't1', 'SOCIAL_ADS'],
    ['another tenant', 't2', 'SOCIAL_ADS'],
    ['another channel', 't1', 'PORTAL1_DA'],
  ] as const)('refuses a document that was copied to %s', async (_name, tenant, type) => {
    const [from, to] = [await linked(), await linked(tenant, type)];
    const source = await stored().findOne({ _id: from._id });
    await stored().replaceOne({ _id: to._id }, { sealed: source?.sealed ?? '' });
    expect(await codeOf(loadCredentials(test.db, box, to._id))).toBe('credentials_unreadable');
    // The control: where it belongs it still opens.
    expect((await loadCredentials(test.db, box, from._id)).value).toEqual(CANARY);
  });

  it('refuses everything once the link was moved to another tenant', async () => {
    const { _id } = await linked();
    await test.db.db
      .collection<{ _id: string }>('links')
      .updateOne({ _id }, { $set: { tenant: 't2' } });
    expect(await codeOf(loadCredentials(test.db, box, _id))).toBe('credentials_unreadable');
  });

  it('says when there are none, before and after erasing, also twice', async () => {
    const one = await linked();
    await eraseCredentials(test.db, one._id);
    await eraseCredentials(test.db, one._id);
    expect(await codeOf(loadCredentials(test.db, box, one._id))).toBe('credentials_missing');
    expect(await codeOf(loadCredentials(test.db, box, 'unknown'))).toBe('credentials_missing');
  });
});

describe('an access token that does not open', () => {
  const saved = async (by: typeof box, of: AuthorizedLink) => {
    const { sealed: seen } = await loadCredentials(test.db, box, of._id);
    await saveAccessToken(test.db, by, of, { seen, access: { token: 'access-1', expiresAt: 9 } });
  };

  it('is none, as another can be had: sealed with a key that this process has not', async () => {
    const one = await linked();
    await saved(createCredentialBox(`k2:${keyOf(2)},k1:${keyOf(1)}`), one);
    const { value, access } = await loadCredentials(test.db, box, one._id);
    expect([value, access]).toEqual([CANARY, undefined]);
  });

  it('is none, as another can be had: copied from another link', async () => {
    const [one, other] = [await linked('t1'), await linked('t2')];
    await saved(box, other);
    const copied = await stored().findOne({ _id: other._id });
    await stored().updateOne({ _id: one._id }, { $set: { access: copied?.access } });
    const { value, access } = await loadCredentials(test.db, box, one._id);
    expect([value, access]).toEqual([CANARY, undefined]);
  });
});

describe('replaceToken', () => {
  const next = { accessToken: 'renewed' };
  const storedValue = async ({ _id }: { _id: string }) =>
    (await loadCredentials(test.db, box, _id)).value;

  it('stores what was renewed, sealed, and leaves the link as it is', async () => {
    const one = await linked();
    const { sealed: seen } = await loadCredentials(test.db, box, one._id);
    const replaced = await replaceToken(test.db, box, one, { seen, next, now: 7 });
    expect(replaced.value).toBe(next);
    expect(await loadCredentials(test.db, box, one._id)).toEqual(replaced);
    expect(JSON.stringify(await stored().find().toArray())).not.toContain('renewed');
    expect(await findLinkById(test.db, one._id)).toEqual(one);
  });

  it('loses against new credentials of a person, which it answers with', async () => {
    const one = await linked();
    const { sealed: seen } = await loadCredentials(test.db, box, one._id);
    await saveCredentials(test.db, box, one, { accessToken: 'by hand' }, 6);
    const kept = await replaceToken(test.db, box, one, { seen, next, now: 7 });
    expect(kept.value).toEqual({ accessToken: 'by hand' });
    expect(await storedValue(one)).toEqual({ accessToken: 'by hand' });
  });

  it('lets one of 20 racing renewals win, with which all go on', async () => {
    const one = await linked();
    const { sealed: seen } = await loadCredentials(test.db, box, one._id);
    const race = Array.from({ length: 20 }, (_, index) =>
      replaceToken(test.db, box, one, { seen, next: { index }, now: 7 }),
    );
    const values = (await Promise.all(race)).map(({ value }) => value);
    for (const value of values) expect(value).toEqual(await storedValue(one));
  });

  it('brings nothing back for a deleted link', async () => {
    const one = await linked();
    const { sealed: seen } = await loadCredentials(test.db, box, one._id);
    await deleteLink(test.db, one, 9);
    const late = replaceToken(test.db, box, one, { seen, next, now: 10 });
    expect(await codeOf(late)).toBe('credentials_missing');
    expect(await stored().countDocuments({ _id: one._id })).toBe(0);
  });
});

describe('verifyCredentialKeys', () => {
  it('passes when every key in use opens, also with a newer one in front', async () => {
    await linked();
    const rotated = createCredentialBox(`k2:${keyOf(2)},k1:${keyOf(1)}`);
    expect(await codeOf(verifyCredentialKeys(test.db, rotated))).toBeUndefined();
  });

  it.each([
    ['removed', `k2:${keyOf(2)}`],
    ['another one of the same name', `k1:${keyOf(3)}`],
  ])('names the key when it is %s', async (_name, keys) => {
    await linked();
    const check = verifyCredentialKeys(test.db, createCredentialBox(keys));
    await expect(check).rejects.toThrow("Key 'k1' of CREDENTIALS_KEYS");
  });

  it('is not stopped by one broken document among good ones', async () => {
    const [one] = [await linked(), await linked()];
    await stored().updateOne({ _id: one._id }, { $set: { sealed: 'k1.AAAA' } });
    expect(await codeOf(verifyCredentialKeys(test.db, box))).toBeUndefined();
  });
});
