import {
  type AuthorizedLink,
  accountKey,
  createCollection,
  createLink,
  type Database,
  findAccount,
  saveAccounts,
  sealDays,
  upsertEntities,
} from '@tributary/database';
import {
  type BlogDay,
  CHANNELS,
  type ChannelType,
  type Day,
  type Entity,
  lacksFeed,
  type ObservationRow,
  type SetId,
} from '@tributary/shared';

export interface Seed {
  link: AuthorizedLink;
  /** `<link>.<account>` */
  account: string;
  /** Collects one source of one day and seals it, as a turn would. */
  collect(input: {
    source: string;
    day: Day;
    rows: readonly (ObservationRow | BlogDay)[];
    fetchedAt: number;
    set?: SetId;
  }): Promise<void>;
}

interface SeedOptions {
  type: ChannelType;
  account: string;
  now: number;
  historyDays: number;
  entities?: readonly Entity[];
  tenant?: string;
  tag?: string;
  settings?: Record<string, unknown>;
}

/** A day of a blog. */
export const BLOG_DAY: BlogDay = {
  pageViews: 9,
  visitors: 4,
  visits: 5,
  averageDurationSeconds: 10,
  referrers: [],
  posts: [],
  neighbours: { mutual: 0, oneWay: 0, other: 5 },
};

/** A link with one account and its tree, stored the way the worker stores them. */
export async function seedLink(db: Database, options: SeedOptions): Promise<Seed> {
  const {
    type,
    now,
    historyDays,
    tenant = 'test',
    tag = '',
    entities = [],
    settings = {},
  } = options;
  const link = await createLink(db, { tenant, type, title: type, tag, settings, now });
  const account = accountKey(link._id, options.account);
  await saveAccounts(
    db,
    link,
    [
      {
        id: options.account,
        title: 'Account',
        zone: 'Asia/Seoul',
        currency: 'KRW',
        status: 'active',
      },
    ],
    { now, historyDays, withoutFeed: lacksFeed(CHANNELS[type], link.settings) },
  );
  await upsertEntities(db, { tenant, link: link._id, account, entities, now });
  let run = 0;
  return {
    link,
    account,
    async collect({ source, day, rows, fetchedAt, set = source as SetId }) {
      run += 1;
      let seq = 0;
      const nextSeq = () => (seq += 1);
      const collection = createCollection(db, {
        account,
        tenant,
        source,
        from: day,
        to: day,
        run,
        fetchedAt,
        nextSeq,
      });
      if (rows.length > 0) await collection.add([{ day, set, rows }]);
      await collection.commit();
      const found = await findAccount(db, account);
      if (!found) throw new Error(`No account ${account}`);
      await sealDays(db, { account: found, now }, [day]);
    },
  };
}
