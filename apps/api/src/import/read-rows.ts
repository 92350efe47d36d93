import {
  checkDay,
  type FeedDays,
  FeedRowError,
  normalizeBlogDay,
  normalizeObservation,
} from '@tributary/connectors';
import {
  type Account,
  type AuthorizedLink,
  type Database,
  entityKey,
  findOwners,
  planAccountOf,
  type StagedRow,
} from '@tributary/database';
import {
  addDays,
  type Channel,
  type Day,
  dayAt,
  isDay,
  LEVEL_WORDS,
  type Level,
} from '@tributary/shared';
import type { Fault } from './faults.ts';
import type { SourceRow } from './source-row.ts';

/** A row that may be taken, with the account and day that it belongs to. */
export interface ReadRow extends StagedRow {
  /** `<link>.<account>` */
  account: string;
  day: Day;
}

export interface RowReader {
  /** What each row of a batch is, in their order. */
  read(rows: readonly SourceRow[]): Promise<(ReadRow | Fault)[]>;
}

interface ReaderScope {
  link: AuthorizedLink;
  accounts: readonly Account[];
  channel: Channel;
  now: number;
}

/** Entities remembered between batches. */
const OWNERS_MAX = 100_000;

/** Normalises rows as those of a feed are, and finds the accounts that they belong to. */
export function createRowReader(db: Database, scope: ReaderScope): RowReader {
  const { link, accounts, channel, now } = scope;
  const daysOf = new Map(accounts.map((account) => [account._id, importDays(account, now)]));
  const known = new Map<string, string | undefined>();
  for (const { _id, account } of accounts) known.set(entityKey(link._id, 'a', account), _id);
  const widest = widestOf([...daysOf.values()]);

  async function learn(normalized: readonly Normalized[]): Promise<void> {
    const nodes = new Map(
      normalized.flatMap(({ key, level, entity }) =>
        known.has(key) ? [] : [[key, { level, id: entity }] as const],
      ),
    );
    if (known.size > OWNERS_MAX) {
      for (const key of known.keys()) if (!key.startsWith(`${link._id}.a.`)) known.delete(key);
    }
    const owners = await findOwners(db, link, [...nodes.values()]);
    for (const key of nodes.keys()) known.set(key, owners.get(key));
  }

  function place(normalized: Normalized): ReadRow {
    const { key, level, entity, row } = normalized;
    const account = known.get(key);
    const days = account === undefined ? undefined : daysOf.get(account);
    if (account === undefined || days === undefined) {
      const words = `no ${LEVEL_WORDS[level]} of this link has the id '${entity}'`;
      throw new FeedRowError('entityId', `Invalid value '${entity}' in entityId: ${words}`);
    }
    checkDay(row.day, days);
    return { ...row, account };
  }

  return {
    async read(rows) {
      const normalized = rows.map((source) =>
        orFault(source, () => normalize(source, { channel, link, days: widest })),
      );
      await learn(normalized.filter((one) => 'entity' in one));
      return normalized.map((one, index) =>
        'entity' in one ? orFault(rows[index], () => place(one)) : one,
      );
    },
  };
}

/** Days that a file may bring: those that are wanted and over; a day that runs would stay as it stood then. */
function importDays(account: Account, now: number): FeedDays {
  const { historyFrom, zone } = planAccountOf(account);
  return { from: historyFrom, to: addDays(dayAt(now, zone), -1) };
}

function widestOf(days: readonly FeedDays[]): FeedDays {
  const from = days.map((one) => one.from).sort()[0] ?? '9999-12-31';
  const to =
    days
      .map((one) => one.to)
      .sort()
      .at(-1) ?? '1000-01-01';
  return { from, to };
}

/** A row in our units, whose owner is still to be found. */
interface Normalized {
  /** {@link entityKey} of what it belongs to. */
  key: string;
  level: Level;
  entity: string;
  row: StagedRow & { day: Day };
}

function normalize(
  { number, value }: SourceRow,
  { channel, link, days }: { channel: Channel; link: AuthorizedLink; days: FeedDays },
): Normalized {
  if (channel.kind === 'blog') {
    const { day, row, key } = normalizeBlogDay(value, days);
    const entity = BLOG_ACCOUNT;
    const own = { number, key, set: 'blog', row, day } as const;
    return { key: entityKey(link._id, 'a', entity), level: 'a', entity, row: own };
  }
  const { level, entity, day, set, row, key } = normalizeObservation(value, { channel, ...days });
  return {
    key: entityKey(link._id, level, entity),
    level,
    entity,
    row: { number, key, set, row, day },
  };
}

/** The one account of a blog's link. */
const BLOG_ACCOUNT = 'blog';

function orFault<T extends object>(source: SourceRow | undefined, read: () => T): T | Fault {
  const { number: row = 0, value, fault } = source ?? {};
  if (fault !== undefined) return { row, message: fault, day: undefined };
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FeedRowError)) throw error;
    return { row, field: error.field, message: error.message, day: dayOf(value) };
  }
}

/** The day that a faulty row says it is of. */
function dayOf(value: unknown): Day | undefined {
  if (typeof value !== 'object' || value === null || !('date' in value)) return undefined;
  return typeof value.date === 'string' && isDay(value.date) ? value.date : undefined;
}
