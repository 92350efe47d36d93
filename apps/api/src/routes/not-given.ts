import {
  LEVEL_WORDS,
  LISTED_LEVELS,
  type LinkCoverage,
  notGiven,
  type StateAccount,
  unfedLists,
} from '@tributary/shared';

type NotGivenRecord = NonNullable<LinkCoverage['accounts'][number]['notGiven']>[number];

const NO_FEED = {
  levels: LISTED_LEVELS.map((level) => LEVEL_WORDS[level]),
  code: 'no_feed',
  detail: 'The link has no feed: only days that are imported (POST /link/import) have this list',
} as const;

/** What the channel never tells, and what only a feed tells where there is none. */
export function notGivenOf(owner: StateAccount): NotGivenRecord[] {
  const never = notGiven(owner.channel).map(({ levels, metrics, reason, ...rest }) => ({
    ...rest,
    levels: levels.map((level) => LEVEL_WORDS[level]),
    ...(metrics && { metrics: [...metrics] }),
    code: 'not_supported' as const,
    detail: reason,
  }));
  const unfed = unfedLists(owner.channel, owner).map((list) => ({ ...NO_FEED, list }));
  return [...never, ...unfed];
}
