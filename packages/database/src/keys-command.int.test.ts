import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { checkApiKey, findApiKey, isApiKeyValid } from './api-keys.ts';
import { runKeysCommand, UsageError } from './keys-command.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase('keyscommand');
}, 60_000);
afterAll(() => test.drop());

async function run(line: string, now = 1_790_000_000_000): Promise<string[]> {
  const lines: string[] = [];
  await runKeysCommand(line.split(' '), {
    open: async () => ({ db: test.db.db, close: async () => undefined }),
    now: () => now,
    write: (text) => lines.push(text),
  });
  return lines;
}

describe('runKeysCommand', () => {
  it('creates a key that works until it expires, and lists it without its text', async () => {
    const now = 1_790_000_000_000;
    const [, key = ''] = await run('create --tenant t1 --scopes read,write --title Shop --days 2');
    const { id = '', digest = '' } = checkApiKey(key) ?? {};
    const stored = await findApiKey(test.db, id);
    expect(stored).toMatchObject({ tenant: 't1', scopes: ['read', 'write'], title: 'Shop' });
    expect(stored && isApiKeyValid(stored, digest, now + 2 * 86_400_000 - 1)).toBe(true);
    expect(stored && isApiKeyValid(stored, digest, now + 2 * 86_400_000)).toBe(false);
    const listed = (await run('list --tenant t1')).join('\n');
    expect(listed).toContain(`${id}  t1  read,write  2026-09-21  2026-09-23  -  Shop`);
    expect(listed).not.toContain(key.split('_')[2]);
  });

  it('gives reading only unless told otherwise', async () => {
    const [, key = ''] = await run('create --tenant t2');
    expect((await findApiKey(test.db, checkApiKey(key)?.id ?? ''))?.scopes).toEqual(['read']);
  });

  it('revokes by id, and says when there is no such key', async () => {
    const [, key = ''] = await run('create --tenant t3');
    const id = checkApiKey(key)?.id ?? '';
    expect(await run(`revoke ${id}`)).toEqual([`Key ${id} is revoked.`]);
    expect((await findApiKey(test.db, id))?.revokedAt).toBe(1_790_000_000_000);
    await expect(run('revoke nothing')).rejects.toThrow("There is no key 'nothing'");
  });

  it('rotates: both keys work for the overlap, then only the new one', async () => {
    const now = 1_790_000_000_000;
    const hour = 3_600_000;
    const [, old = ''] = await run('create --tenant t4 --scopes read,refresh --title Shop');
    const [, made = ''] = await run(`rotate ${checkApiKey(old)?.id} --overlap 2`);
    const worksAt = async (key: string, at: number) => {
      const { id = '', digest = '' } = checkApiKey(key) ?? {};
      const stored = await findApiKey(test.db, id);
      return stored !== undefined && isApiKeyValid(stored, digest, at);
    };
    expect([await worksAt(old, now + 2 * hour - 1), await worksAt(made, now)]).toEqual([
      true,
      true,
    ]);
    expect([await worksAt(old, now + 2 * hour), await worksAt(made, now + 9 * hour)]).toEqual([
      false,
      true,
    ]);
    const stored = await findApiKey(test.db, checkApiKey(made)?.id ?? '');
    expect(stored).toMatchObject({ tenant: 't4', scopes: ['read', 'refresh'], title: 'Shop' });
    // What has ended is not brought back.
    const later = run(`rotate ${checkApiKey(old)?.id}`, now + 3 * hour);
    await expect(later).rejects.toThrow('that works');
  });

  it.each([
    '',
    'create --tenant t1 --overlap 2',
    'rotate',
    'rotate a b',
    'rotate a --overlap -1',
    'rotate a --days 2',
    'create',
    'create --tenant',
    'create x --tenant t1',
    'create --tenant t1 --scopes root',
    'create --tenant t1 --days 0',
    'create --tenant t1 --unknown x',
    'list --title x',
    'revoke',
    'revoke a b',
    'revoke a --tenant t1',
    'delete a',
  ])('refuses "%s" before it opens the database', async (line) => {
    test.takeCommands();
    await expect(run(line)).rejects.toThrow(UsageError);
    expect(test.takeCommands()).toEqual([]);
  });
});

const cli = (args: string[], env: Record<string, string>) =>
  spawnSync(process.execPath, ['--import', 'tsx', join(__dirname, 'keys-cli.ts'), ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
    timeout: 30_000,
  });

describe('the command line', () => {
  it('prints the key alone on a line and ends by itself', () => {
    const { status, stdout } = cli(['create', '--tenant', 'cli'], { MONGODB_URI: test.uri });
    expect(status).toBe(0);
    expect(checkApiKey(stdout.trim().split('\n').at(-1) ?? '')).toBeDefined();
  }, 30_000);

  it('explains itself and exits 1 on nonsense and on an unreachable server', () => {
    const nonsense = cli(['nonsense'], {});
    expect(nonsense.status).toBe(1);
    expect(nonsense.stderr).toContain('npm run keys -- create');
    const away = cli(['list'], { MONGODB_URI: 'mongodb://a:hunter2@127.0.0.1:1/x' });
    expect(away.status).toBe(1);
    expect(away.stderr).toBe('MongoDB does not answer at 127.0.0.1:1\n');
  }, 30_000);
});
