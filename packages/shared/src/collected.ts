import type { Cells, Day, Millis, PlanAccount } from './account.ts';
import {
  type Channel,
  type Dimension,
  fillOf,
  isImported,
  type Source,
  sourcesOf,
} from './channels.ts';
import { addDays, eachDay, isBeforeEnd, startOfDay } from './days.ts';
import { type SealedDays, type SealedMark, type SealedPart, sealTag } from './sealed.ts';
import { isFinalReading, slotsKey } from './slots.ts';

/** Entries that exceed their total by more than this share make a list incomplete. */
const EXCESS_MAX = 0.01;

/** One collected day of one level (or of the blog), as it is sealed. */
export interface CollectedDay {
  date: Day;
  /** Names the bytes that are sealed. */
  tag: string;
  /** No figure of the day is older than this. */
  asOf: Millis;
  isFinal: boolean;
  /** Lists of the channel that are not in the sealed day, or not in one pass with its totals. */
  lacking: readonly Dimension[];
  /** What was read last before the day was over: its totals (`days`: with all that belongs to them), else lists. */
  cutOff: readonly ('days' | Dimension)[];
}

/** What coverage says about a level over a range; depends on nothing but the store. */
export interface CollectedRange {
  from: Day;
  to: Day;
  days: readonly CollectedDay[];
}

export interface StateAccount
  extends Pick<PlanAccount, 'id' | 'zone' | 'historyFrom' | 'withoutFeed'> {
  channel: Channel;
}

export interface CollectedInput {
  account: StateAccount;
  part: SealedPart;
  from: Day;
  to: Day;
  cells: Cells;
  sealed: SealedDays;
}

/** The collected days of a range, ascending: days whose totals were read and sealed. */
export function collectedRange(input: CollectedInput): CollectedRange {
  const { account, part, from, to } = input;
  const sources = partSources(account.channel, part);
  const lists = givenLists(account.channel, part);
  const days = eachDay(from, to).flatMap((date) => {
    const mark = input.sealed.get(date)?.[part];
    return mark ? collectedDay(input, { date, mark, sources, lists }) : [];
  });
  return { from, to, days };
}

/** The sources that a level is sealed from; the blog has one. */
function partSources(channel: Channel, part: SealedPart): readonly Source[] {
  return part === 'blog' ? channel.sources : sourcesOf(channel, part);
}

/** A list that belongs into a level's answer, with the source that fills it. */
export interface GivenList {
  list: Dimension;
  source: Source;
}

/** The lists that the platform gives at a level. */
export function givenLists(channel: Channel, part: SealedPart): GivenList[] {
  if (part === 'blog' || part === 'd') return [];
  return channel.lists.flatMap((list) => {
    const source = fillOf(channel, part, list)?.source;
    return source ? { list, source } : [];
  });
}

interface SealedDay {
  date: Day;
  mark: SealedMark;
  sources: readonly Source[];
  lists: readonly GivenList[];
}

function collectedDay(input: CollectedInput, day: SealedDay): CollectedDay {
  const { account, part, cells: all } = input;
  const { date, mark, sources } = day;
  const { channel } = account;
  const cells = all.get(date);
  // Sources with the same slots become final together: the oldest reading of each kind decides.
  const oldest = new Map<string, { source: Source; fetchedAt: Millis }>();
  for (const source of sources) {
    const fetchedAt = cells?.get(source.id)?.fetchedAt;
    const key = slotsKey(source);
    if (fetchedAt !== undefined && fetchedAt < (oldest.get(key)?.fetchedAt ?? Infinity)) {
      oldest.set(key, { source, fetchedAt });
    }
  }
  const readings = [...oldest.values()];
  // Between a commit and its sealing the cells are ahead of the sealed day: then only the day's start is sure.
  const isSealed =
    !mark.isUnderWay && sealTag({ channel, account, day: date, cells }, part) === mark.tag;
  return {
    date,
    tag: mark.tag,
    asOf: isSealed
      ? Math.min(...readings.map(({ fetchedAt }) => fetchedAt))
      : startOfDay(date, account.zone),
    isFinal:
      isSealed && readings.every((reading) => isFinalReading({ ...reading, day: date, account })),
    lacking: lackingLists(account, day),
    cutOff: cutOffOf(input, day, readings),
  };
}

function cutOffOf(
  { account, part, cells }: CollectedInput,
  { date, lists }: SealedDay,
  oldest: readonly { fetchedAt: Millis }[],
): CollectedDay['cutOff'] {
  const earliest = Math.min(...oldest.map(({ fetchedAt }) => fetchedAt));
  if (!isBeforeEnd(earliest, date, account.zone)) return [];
  const end = startOfDay(addDays(date, 1), account.zone);
  const isCutOff = ({ id }: Source) => (cells.get(date)?.get(id)?.fetchedAt ?? end) < end;
  const base = baseSource(account.channel, part);
  if (base && isCutOff(base)) return ['days'];
  return lists.filter(({ source }) => isCutOff(source)).map(({ list }) => list);
}

/** The source of a level's totals; the blog has one for all. */
export function baseSource(channel: Channel, part: SealedPart): Source | undefined {
  return part === 'blog' ? channel.sources[0] : fillOf(channel, part, 'base')?.source;
}

/**
 * Read from the mark and not from the cells: it alone says what the sealed day holds. A list that nobody gives and nobody
 * imported is not lacking.
 */
function lackingLists(account: StateAccount, { mark, sources, lists }: SealedDay): Dimension[] {
  const [, bases = '', ...lagging] = mark.tag.split(':');
  const absent = new Set(
    bases.split('.').flatMap((base, index) => (base === '-' ? (sources[index]?.id ?? []) : [])),
  );
  return lists
    .filter(
      ({ list, source }) =>
        (absent.has(source.id) && !isImported(source, account)) ||
        lagging.includes(list) ||
        (mark.over?.[list] ?? 0) > EXCESS_MAX,
    )
    .map(({ list }) => list);
}
