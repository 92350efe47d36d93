/** Level letters, as in keys: a ad account, c campaign, g ad group, d ad. */
export const LEVELS = ['a', 'c', 'g', 'd'] as const;
export type Level = (typeof LEVELS)[number];

/** Levels that have breakdown lists and sealed days; ads have totals only. */
export const LISTED_LEVELS = ['a', 'c', 'g'] as const satisfies readonly Level[];
export type ListedLevel = (typeof LISTED_LEVELS)[number];

/** The interface's words for the levels. */
export const LEVEL_WORDS = {
  a: 'adAccount',
  c: 'campaign',
  g: 'adGroup',
  d: 'ad',
} as const satisfies Record<Level, string>;
export type LevelWord = (typeof LEVEL_WORDS)[Level];

export const ENTITY_STATUSES = ['active', 'paused', 'removed', 'closed', 'unknown'] as const;
export type EntityStatus = (typeof ENTITY_STATUSES)[number];

/** False for an account that no longer delivers: nothing of it is planned, and nothing waits for it. */
export function isOpen(status: EntityStatus): boolean {
  return status !== 'closed' && status !== 'removed';
}

/** How many entities an account has at each level below it; used to bound windows. */
export type EntityCounts = Record<'c' | 'g' | 'd', number>;

/** One node of an account's tree as a connector reports it. Ids are the platform's, as text. */
export interface Entity {
  level: Level;
  id: string;
  /** The id one level up; '' for an ad account. */
  parent: string;
  title: string;
  status: EntityStatus;
}
