/** An index as it should be. Names are stable: a changed definition needs a new name. */
export interface IndexPlan {
  name: string;
  key: Readonly<Record<string, 1 | -1>>;
  unique?: true;
  /** Only documents that have the field. */
  sparse?: true;
  /** Documents go this long after the date in the field. */
  expireAfterSeconds?: number;
}

export interface CollectionPlan {
  name: string;
  /** Keys begin with `<link>.`: emptied when the link is purged. */
  belowLink?: true;
  indexes: readonly IndexPlan[];
}

/** Every collection with its indexes beyond `_id`. All are created before the first document is written. */
export const COLLECTIONS: readonly CollectionPlan[] = [
  {
    name: 'links',
    indexes: [
      { name: 'tenant_createdAt', key: { tenant: 1, createdAt: 1, _id: 1 } },
      { name: 'tenant_tag', key: { tenant: 1, tag: 1, createdAt: 1, _id: 1 } },
      { name: 'purgeAt', key: { purgeAt: 1 }, sparse: true },
    ],
  },
  { name: 'credentials', indexes: [{ name: 'keyId', key: { keyId: 1 } }] },
  { name: 'apiKeys', indexes: [{ name: 'tenant', key: { tenant: 1, createdAt: 1 } }] },
  {
    name: 'comments',
    indexes: [
      { name: 'tenant_idx', key: { tenant: 1, idx: 1 }, unique: true },
      { name: 'tenant_key_idx', key: { tenant: 1, key: 1, idx: 1 } },
    ],
  },
  { name: 'counters', indexes: [] },
  {
    name: 'requests',
    indexes: [{ name: 'expiry', key: { expireAt: 1 }, expireAfterSeconds: 0 }],
  },
  {
    name: 'requestCounts',
    indexes: [{ name: 'expiry', key: { expireAt: 1 }, expireAfterSeconds: 0 }],
  },
  {
    name: 'entities',
    belowLink: true,
    indexes: [
      { name: 'link_level_parent', key: { link: 1, level: 1, parent: 1, _id: 1 } },
      { name: 'account_level', key: { account: 1, level: 1, status: 1 } },
    ],
  },
  {
    name: 'accounts',
    belowLink: true,
    indexes: [
      { name: 'nextPlanAt', key: { nextPlanAt: 1 } },
      { name: 'link', key: { link: 1 } },
    ],
  },
  { name: 'coverage', belowLink: true, indexes: [] },
  { name: 'observations', belowLink: true, indexes: [] },
  {
    name: 'imports',
    belowLink: true,
    indexes: [{ name: 'expiry', key: { expireAt: 1 }, expireAfterSeconds: 0 }],
  },
  { name: 'statDays', belowLink: true, indexes: [] },
  { name: 'adMonths', belowLink: true, indexes: [] },
  { name: 'blogMonths', belowLink: true, indexes: [] },
  {
    name: 'revisions',
    belowLink: true,
    indexes: [{ name: 'expiry', key: { expireAt: 1 }, expireAfterSeconds: 0 }],
  },
  { name: 'changes', indexes: [{ name: 'at', key: { at: 1 } }] },
  {
    name: 'runs',
    indexes: [
      { name: 'claims', key: { claims: 1 }, unique: true },
      { name: 'equal', key: { equal: 1, askedAt: 1 } },
      { name: 'expiry', key: { expireAt: 1 }, expireAfterSeconds: 0 },
    ],
  },
];

/** {@link COLLECTIONS} in which nothing expires by itself: for tests, whose clocks stand at any time. */
export const LASTING_COLLECTIONS: readonly CollectionPlan[] = COLLECTIONS.map((plan) => ({
  ...plan,
  indexes: plan.indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds === undefined),
}));
