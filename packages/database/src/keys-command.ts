import { parseArgs } from 'node:util';
import type { Millis } from '@tributary/shared';
import {
  API_SCOPES,
  type ApiScope,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from './api-keys.ts';
import type { Database } from './database.ts';

/** The command line makes no sense; the message says what would. */
export class UsageError extends Error {}

export const USAGE = `npm run keys -- create --tenant <name> [--scopes read,write,refresh,admin] [--title <text>] [--days <number>]
npm run keys -- list [--tenant <name>]
npm run keys -- rotate <id> [--overlap <hours, default 24>]
npm run keys -- revoke <id>`;

export interface KeysCommandDeps {
  /** Opened only when the command line makes sense. */
  open: () => Promise<Database>;
  now: () => Millis;
  write: (line: string) => void;
}

type Run = (db: Database, deps: KeysCommandDeps) => Promise<void>;

/**
 * Creates, lists or revokes the clients' API keys.
 *
 * @throws UsageError when the arguments name no command, RangeError when a value is not possible
 */
export async function runKeysCommand(args: string[], deps: KeysCommandDeps): Promise<void> {
  const run = parseCommand(args);
  const db = await deps.open();
  try {
    await run(db, deps);
  } finally {
    await db.close();
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        tenant: { type: 'string' },
        scopes: { type: 'string' },
        title: { type: 'string' },
        days: { type: 'string' },
        overlap: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'Unknown arguments');
  }
}

function parseCommand(args: string[]): Run {
  const { values, positionals } = parse(args);
  const [command, id, ...more] = positionals;
  const { tenant, scopes = 'read', title = '', days } = values;
  const given = Object.keys(values);
  const only = (...names: string[]) => given.every((name) => names.includes(name));
  const creates = only('tenant', 'scopes', 'title', 'days');
  if (command === 'create' && id === undefined && tenant && creates) {
    const wanted = parseScopes(scopes);
    const lifetimeMs = days === undefined ? undefined : parseDays(days) * 86_400_000;
    return (db, deps) => create(db, deps, { tenant, scopes: wanted, title, lifetimeMs });
  }
  if (command === 'list' && id === undefined && only('tenant')) {
    return (db, { write }) => list(db, write, tenant);
  }
  if (command === 'rotate' && id !== undefined && more.length === 0 && only('overlap')) {
    const overlapMs = parseHours(values.overlap ?? '24') * 3_600_000;
    return (db, deps) => rotate(db, deps, id, overlapMs);
  }
  if (command === 'revoke' && id !== undefined && more.length === 0 && only()) {
    return (db, deps) => revoke(db, deps, id);
  }
  throw new UsageError(`Cannot make sense of '${args.join(' ')}'`);
}

function parseScopes(text: string): ApiScope[] {
  return text.split(',').map((word) => {
    const scope = API_SCOPES.find((one) => one === word.trim());
    if (scope) return scope;
    throw new UsageError(`Invalid scope '${word}' in --scopes, expected ${API_SCOPES.join(', ')}`);
  });
}

function parseDays(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new UsageError(`Invalid days '${text}' in --days, expected a whole number from 1 to 9999`);
}

function parseHours(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new UsageError(
    `Invalid hours '${text}' in --overlap, expected a whole number from 0 to 9999`,
  );
}

async function create(
  db: Database,
  { now, write }: KeysCommandDeps,
  {
    lifetimeMs,
    ...input
  }: { tenant: string; scopes: ApiScope[]; title: string; lifetimeMs: number | undefined },
): Promise<void> {
  const at = now();
  const expires = lifetimeMs === undefined ? {} : { expiresAt: at + lifetimeMs };
  const { id, key } = await createApiKey(db, { ...input, now: at, ...expires });
  write(`Key ${id} of tenant ${input.tenant} (${input.scopes.join(', ')}), shown only now:`);
  write(key);
}

function day(at: Millis | undefined): string {
  return at === undefined ? '-' : new Date(at).toISOString().slice(0, 10);
}

async function list(
  db: Database,
  write: (line: string) => void,
  tenant: string | undefined,
): Promise<void> {
  const keys = await listApiKeys(db, { tenant });
  if (keys.length === 0) write('No keys.');
  else write('id                tenant  scopes  created  expires  revoked  title');
  for (const { _id, tenant: owner, scopes, title, createdAt, expiresAt, revokedAt } of keys) {
    const columns = [_id, owner, scopes.join(','), day(createdAt), day(expiresAt), day(revokedAt)];
    write([...columns, title].join('  '));
  }
}

async function revoke(db: Database, { now, write }: KeysCommandDeps, id: string): Promise<void> {
  if (!(await revokeApiKey(db, id, now()))) throw new RangeError(`There is no key '${id}'`);
  write(`Key ${id} is revoked.`);
}

async function rotate(
  db: Database,
  { now, write }: KeysCommandDeps,
  id: string,
  overlapMs: number,
): Promise<void> {
  const made = await rotateApiKey(db, id, { now: now(), overlapMs });
  if (!made) throw new RangeError(`There is no key '${id}' that works`);
  write(
    `Key ${made.id} takes the place of ${id}, which ends at ${new Date(now() + overlapMs).toISOString()} at the latest. Shown only now:`,
  );
  write(made.key);
}
