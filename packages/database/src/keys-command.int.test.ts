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

  it.each([
    '',
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
