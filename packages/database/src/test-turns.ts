import { inflateRawSync } from 'node:zlib';
import {
  type Cell,
  CHANNELS,
  type ChannelType,
  type Day,
  type ObservationRow,
  partState,
  type SetId,
  seal,
  sealTag,
  sourcesOf,
} from '@tributary/shared';
import { type Account, accountKey, accounts, findAccount } from './accounts.ts';
import { type AdMonthDoc, adMonths } from './ad-months.ts';
import { createCollection, type DayOutcome } from './commit.ts';
import { type Coverage, readCoverage } from './coverage.ts';
import type { Database } from './database.ts';
import { keysBelow } from './keys.ts';
import { saveAccounts } from './listing.ts';
import {
  type Chunk,
  createDigest,
  encodeRow,
  observations,
  readObservations,
} from './observations.ts';
import { sealDays } from './seal-days.ts';
import type { SealOutcome } from './seal-part.ts';
import { readFigures, statDays } from './stat-days.ts';

/** One account of one link that tests collect and seal by hand. */
export interface TestAccount {
  link: string;
  id: string;
  type: ChannelType;
}

export const NOW = Date.parse('2026-11-20T12:00:00Z');

export async function createTestAccount(
  db: Database,
  link: string,
  type: ChannelType = 'SOCIAL_ADS',
): Promise<TestAccount> {
  const account = { title: 'A', zone: 'Asia/Seoul', currency: 'KRW', status: 'active' } as const;
  const owner = { _id: link, tenant: 't1', type, gen: 1 };
  await saveAccounts(db, owner, [{ id: '77', ...account }], { now: NOW, historyDays: 30 });
  return { link, id: accountKey(link, '77'), type };
}

export async function loadAccount(db: Database, { id }: TestAccount): Promise<Account> {
  const found = await findAccount(db, id);
  if (!found) throw new Error(`No account '${id}'`);
  return found;
}

/** What one turn collects of one source. */
export interface Collecting {
  run: number;
  source: string;
  days: readonly Day[];
  rows(day: Day): ObservationRow[];
  /** Where the rows belong; default the set that is named as the source. */
  set?: SetId;
  fetchedAt?: number;
}

export async function collect(
  db: Database,
  { id }: TestAccount,
  { run, source, days, rows, set = source as SetId, fetchedAt = NOW + run }: Collecting,
): Promise<Map<Day, DayOutcome>> {
  let seq = 0;
  const collection = createCollection(db, {
    account: id,
    tenant: 't1',
    source,
    from: days[0] ?? '',
    to: days.at(-1) ?? '',
    run,
    fetchedAt,
    believed: true,
    nextSeq() {
      seq += 1;
      return seq;
    },
  });
  for (const day of days) await collection.add([{ day, set, rows: rows(day) }]);
  return await collection.commit();
}

export async function sealNow(
  db: Database,
  account: TestAccount,
  days: readonly Day[],
): Promise<SealOutcome> {
  return await sealDays(db, { account: await loadAccount(db, account), now: NOW }, days);
}

/** Plain text of a stored piece: a sync-flushed deflate stream lacks its last, empty block. */
export function inflatePiece(z: Buffer): string {
  return inflateRawSync(Buffer.concat([z, Buffer.from([3, 0])])).toString();
}

/** Everything that is served of a link: texts by document and day, and the totals of ads. */
export async function servedOf(db: Database, link: string): Promise<Map<string, string>> {
  const served = new Map<string, string>();
  for (const { _id, z } of await statDays(db)
    .find({ _id: keysBelow(link) })
    .toArray())
    served.set(_id, inflatePiece(z));
  for (const { _id, d } of await adMonths(db)
    .find({ _id: keysBelow(link) })
    .toArray())
    for (const [day, entry] of Object.entries(d))
      if (!isZero(entry)) served.set(`${_id}-${day}`, String(readFigures(entry.t)));
  return served;
}

function isZero({ t }: AdMonthDoc['d'][string]): boolean {
  return readFigures(t).every((value) => value === null || value === 0);
}

export async function coverageOf(
  db: Database,
  { id }: TestAccount,
  days: readonly Day[],
): Promise<Coverage> {
  return await readCoverage(db, id, days[0] ?? '', days.at(-1) ?? '');
}

/** What should be served of one level, straight from rows: no store in between. */
export function expectServed(
  { link, type, id }: TestAccount,
  level: 'c' | 'd',
  days: readonly Day[],
  read: { rows(source: string, day: Day): ObservationRow[]; cell(source: string, day: Day): Cell },
): Map<string, string> {
  const channel = CHANNELS[type];
  const served = new Map<string, string>();
  for (const day of days) {
    const sources = sourcesOf(channel, level);
    const cells = new Map(sources.map((source) => [source.id, read.cell(source.id, day)]));
    const sets = new Map(
      sources
        .filter((source) => cells.get(source.id)?.base !== undefined)
        .map((source) => [source.id as SetId, read.rows(source.id, day)]),
    );
    const input = { channel, account: { id, zone: 'Asia/Seoul' }, day, cells };
    const lagging = new Set(
      channel.lists.filter((list) => partState(input, level, list) === 'lag'),
    );
    for (const [entity, { json, totals }] of seal({ channel, level, date: day, sets, lagging })
      .entities) {
      if (level === 'c') served.set(`${link}.c.${entity}.${day}`, json);
      else served.set(`${link}.d.${entity}.${day}`, String(totals));
    }
  }
  return served;
}

/** The parts of days that are collected and not sealed as they stand. */
export function unsealedOf(
  { type, id }: TestAccount,
  { cells, sealed }: Coverage,
  levels: readonly ('a' | 'c' | 'g' | 'd')[] = ['a', 'c', 'g', 'd'],
): string[] {
  const account = { id, zone: 'Asia/Seoul' };
  return [...cells].flatMap(([day, ofDay]) =>
    levels
      .filter((part) => {
        const tag = sealTag({ channel: CHANNELS[type], account, day, cells: ofDay }, part);
        const mark = sealed.get(day)?.[part];
        return tag !== undefined && (tag !== mark?.tag || mark.isUnderWay === true);
      })
      .map((part) => `${part} ${day}`),
  );
}

/** Cells whose chunks are not all there, or hold other rows than the cell says. */
export async function danglingOf(
  db: Database,
  { id }: TestAccount,
  { cells }: Coverage,
): Promise<string[]> {
  const dangling: string[] = [];
  for (const [day, sources] of cells) {
    for (const [source, { base, chunks, digest }] of sources) {
      if (base === undefined) continue;
      const stored = await chunksOf(db, { account: id, source, from: day, to: day });
      const current = stored.filter(({ run }) => run === base);
      const found = createDigest();
      for (const { set, rows } of current) for (const row of rows) found.add(set, encodeRow(row));
      if (current.length !== chunks || found.text() !== digest) dangling.push(`${source} ${day}`);
    }
  }
  return dangling;
}

export async function chunksOf(...range: Parameters<typeof readObservations>): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of readObservations(...range)) chunks.push(chunk);
  return chunks;
}

export async function chunkKeys(db: Database, { id }: TestAccount): Promise<string[]> {
  const found = await observations(db)
    .find({ _id: keysBelow(id) }, { projection: { _id: 1 } })
    .toArray();
  return found.map(({ _id }) => _id.slice(id.length + 1)).sort();
}

export async function versionOf(db: Database, { id }: TestAccount): Promise<number> {
  return (await accounts(db).findOne({ _id: id }))?.cv ?? 0;
}

/** One call of the driver. */
export interface Step {
  collection: string;
  method: string;
  isWrite: boolean;
}

const WRITES: ReadonlySet<string> = new Set([
  'insertMany',
  'insertOne',
  'updateOne',
  'updateMany',
  'bulkWrite',
  'deleteMany',
  'deleteOne',
  'findOneAndUpdate',
]);

/** The same database with something around every call: a delay, a crash before or after it took effect. */
export function intercept(
  { db, close }: Database,
  around: (step: Step, call: () => Promise<unknown>) => Promise<unknown>,
): Database {
  const wrapped = new Proxy(db, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key !== 'collection') return typeof value === 'function' ? value.bind(target) : value;
      return (name: string) => wrapCollection(target.collection(name), name, around);
    },
  });
  return { db: wrapped, close };
}

function wrapCollection<T extends object>(
  collection: T,
  name: string,
  around: Parameters<typeof intercept>[1],
): T {
  return new Proxy(collection, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      const method = String(key);
      const step = { collection: name, method, isWrite: WRITES.has(method) };
      if (method === 'find')
        return (...args: unknown[]) => {
          const cursor = value.apply(target, args) as { toArray(): Promise<unknown> };
          const read = cursor.toArray.bind(cursor);
          cursor.toArray = () => around(step, read);
          return cursor;
        };
      if (!step.isWrite && method !== 'findOne') return value.bind(target);
      return (...args: unknown[]) => around(step, () => value.apply(target, args));
    },
  });
}
