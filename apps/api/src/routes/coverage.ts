import {
  type Account,
  type Coverage,
  isOpenLink,
  listAccounts,
  readCoverage,
} from '@tributary/database';
import {
  addDays,
  answerState,
  collectedRange,
  type DataState,
  type Day,
  type DayCells,
  eachDay,
  fillOf,
  type Gap,
  isBeforeEnd,
  isOpen,
  LEVEL_WORDS,
  type LinkCoverage,
  LinkCoverageSchema,
  LinkRangeQuerySchema,
  levelGaps,
  metricNumber,
  outlivedMetrics,
  type SealedPart,
  type StateAccount,
  type StoredMetric,
  sealedParts,
  type UpstreamChange,
} from '@tributary/shared';
import type { Deps } from '../deps.ts';
import { defineRoute } from '../http/define-route.ts';
import { ProblemError } from '../http/problem.ts';
import { type Range, stateAccount } from '../statistics/range.ts';
import { requireLink } from './links.ts';
import { notGivenOf } from './not-given.ts';
import { momentText } from './records.ts';

/** Days of accounts in one answer: some 8 MB. */
const ENTRIES_MAX = 40_000;

/** What a day without totals lacks. */
const TOTAL = 'total';

/** What was read lacks the end of its day. */
const CUT_OFF = { code: 'cut_off', detail: 'It was read last before the day was over' };

type AccountCoverage = LinkCoverage['accounts'][number];
type Lack = NonNullable<AccountCoverage['days'][number]['parts']>[number];
type LevelGapRecord = NonNullable<AccountCoverage['days'][number]['gaps']>[number];

/** How far a link is collected, by account and day. */
export const linkCoverageRoute = defineRoute({
  method: 'GET',
  path: '/link/coverage',
  summary: 'How far a record is collected, by account and day',
  extension: true,
  problems: ['link_not_found', 'range_too_large'],
  query: LinkRangeQuerySchema,
  response: LinkCoverageSchema,
  scope: 'read',
  async handle({ query: { id, start, end }, context }, deps): Promise<LinkCoverage> {
    const link = await requireLink(deps, context, id);
    const accounts: AccountCoverage[] = [];
    const owned = await listAccounts(deps.db, link._id);
    requireFitting(owned.length, { start, end });
    for (const account of owned) {
      const found = await coverageOf(deps, account, { start, end }, context.now);
      accounts.push(isOpenLink(link) ? found : withoutAttempts(found));
    }
    // Nothing more comes of an account that is closed: what it has counts, what it lacks is not waited for.
    const wanted = accounts.flatMap(({ status, days }) =>
      isOpen(status) ? days : days.filter(hasTotals),
    );
    const days = {
      wanted: wanted.length,
      collected: wanted.filter(hasTotals).length,
      final: wanted.filter(({ state }) => state === 'final').length,
    };
    const { _id, status, reason, pausedAt } = link;
    const paused = pausedAt !== undefined && { pausedSince: momentText(pausedAt) };
    return { id: _id, status, reason, ...paused, from: start, to: end, days, accounts };
  },
});

/**
 * @throws ProblemError `range_too_large` naming the last end that fits; a single day always does
 */
function requireFitting(accounts: number, { start, end }: Range): void {
  const daysMax = Math.max(1, Math.floor(ENTRIES_MAX / Math.max(1, accounts)));
  const days = eachDay(start, end).length;
  if (days <= daysMax) return;
  const message = `${accounts} accounts over ${days} days are too many, the last end that fits is ${addDays(start, daysMax - 1)}`;
  throw new ProblemError('range_too_large', message);
}

/** Nothing is attempted while a link is paused or waits for a person. */
function withoutAttempts({ days, ...account }: AccountCoverage): AccountCoverage {
  const unplanned = ({ nextAttemptAt: _, ...lack }: Lack): Lack => lack;
  return {
    ...account,
    days: days.map(({ parts, ...day }) => ({
      ...day,
      ...(parts && { parts: parts.map(unplanned) }),
    })),
  };
}

/** True when every level's totals of the day are there. */
function hasTotals({ state, parts = [] }: AccountCoverage['days'][number]): boolean {
  return state !== 'missing' && !parts.some(({ list }) => list === TOTAL);
}

/** The days of the range that the account should have by now or has. */
async function coverageOf(
  { db }: Deps,
  account: Account,
  { start, end }: Range,
  now: number,
): Promise<AccountCoverage> {
  const owner = stateAccount(account);
  const stored = await readCoverage(db, account._id, start, end);
  const parts = sealedParts(owner.channel).map((part) => {
    const range = collectedRange({ account: owner, part, from: start, to: end, ...stored });
    return { part, range, gaps: answerState(owner, part, range, now).gaps };
  });
  const lacks = new Map<Day, Lack[]>();
  for (const { part, gaps } of parts) {
    for (const { what, from, to } of gaps) {
      for (const day of eachDay(from, to)) {
        const lack = lackOf(owner, { day, part, what }, stored.cells.get(day));
        lacks.set(day, [...(lacks.get(day) ?? []), lack]);
      }
    }
  }
  const finals = new Map<Day, boolean>();
  for (const { date, isFinal } of parts.flatMap(({ range }) => range.days)) {
    finals.set(date, isFinal && finals.get(date) !== false);
  }
  const { account: id, title, zone, currency, status } = account;
  const dates = [...new Set([...lacks.keys(), ...finals.keys()])].sort();
  const days = dates.map((date) => {
    const lack = lacks.get(date);
    const all = [...(lack ?? []), ...outlivedOf(owner, date, stored.cells.get(date))];
    const gaps = gapsOf(owner, date, stored);
    return {
      date,
      state: dayState(finals.get(date), lack),
      ...(all.length > 0 && { parts: all }),
      ...(gaps.length > 0 && { gaps }),
    };
  });
  const changes = account.upstream?.changes ?? [];
  const notGiven = notGivenOf(owner);
  return {
    id,
    title,
    zone,
    currency,
    status,
    ...(notGiven.length > 0 && { notGiven }),
    ...(changes.length > 0 && { upstreamChanges: changes.map(upstreamRecord) }),
    days,
  };
}

function upstreamRecord({ source, part, metric, since }: UpstreamChange) {
  return { source, list: part === 'base' ? TOTAL : part, ...(metric && { metric }), since };
}

function gapsOf(
  { channel, ...account }: StateAccount,
  day: Day,
  { cells, sealed }: Coverage,
): LevelGapRecord[] {
  const input = { channel, account, day, cells: cells.get(day), sealed: sealed.get(day) };
  return levelGaps(input).map(({ level, above, metrics, isLagging }) => ({
    level: LEVEL_WORDS[level],
    above: LEVEL_WORDS[above],
    ...(isLagging && { lag: true as const }),
    metrics: Object.fromEntries(
      Object.entries(metrics).map(([metric, value]) => [
        metric,
        metricNumber(metric as StoredMetric, value), // keys of a record of metrics
      ]),
    ),
  }));
}

/** Metrics that the platform no longer told when the day was read. */
function outlivedOf(
  { channel, zone }: StateAccount,
  day: Day,
  cells: DayCells | undefined,
): Lack[] {
  return channel.sources.flatMap((source) => {
    const at = cells?.get(source.id)?.fetchedAt;
    const metrics = at === undefined ? [] : outlivedMetrics(source, day, { at, zone });
    if (metrics.length === 0) return [];
    const days = source.newestDaysOnly?.days;
    const detail = `The platform tells them for ${days} days, and this day was read later`;
    return source.fills.map(({ level, part }) => ({
      level: levelWord(level),
      list: part,
      metrics: [...metrics],
      code: 'out_of_history',
      detail,
    }));
  });
}

/** What a day lacks, with what its cell says of the newest attempt. */
function lackOf(
  { channel, zone }: StateAccount,
  { day, part, what }: { day: Day; part: SealedPart; what: Gap['what'] },
  cells: DayCells | undefined,
): Lack {
  const list = what === 'days' ? TOTAL : what;
  const source =
    part === 'blog'
      ? channel.sources[0]
      : fillOf(channel, part, what === 'days' ? 'base' : what)?.source;
  const cell = source && cells?.get(source.id);
  const isCutOff = cell?.fetchedAt !== undefined && isBeforeEnd(cell.fetchedAt, day, zone);
  return {
    level: levelWord(part),
    list,
    ...(isCutOff && CUT_OFF),
    ...(cell?.code && { code: cell.code }),
    ...(cell?.detail && { detail: cell.detail }),
    ...(cell?.retryAt && { nextAttemptAt: momentText(cell.retryAt) }),
  };
}

function levelWord(part: SealedPart): string {
  return part === 'blog' ? part : LEVEL_WORDS[part];
}

function dayState(isFinal: boolean | undefined, lack: readonly Lack[] | undefined): DataState {
  if (isFinal === undefined) return 'missing';
  if (lack) return 'partial';
  return isFinal ? 'final' : 'provisional';
}
