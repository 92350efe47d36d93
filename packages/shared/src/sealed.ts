import type { Cell, Day } from './account.ts';
import { type Channel, fillOf, type Source, sourcesOf } from './channels.ts';
import type { LevelSums } from './level-gaps.ts';
import { LEVELS, type Level } from './levels.ts';
import type { Part } from './observation.ts';
import { isFinalReading, type SlotAccount } from './slots.ts';

/** Raised when the same observations would seal to other bytes: every day is then sealed again, without a call. */
export const SEAL_VERSION = 1;

/** What is kept apart per day: the four levels, or the blog. */
export type SealedPart = Level | 'blog';

/** The marker of one sealed level and day. */
export interface SealedMark {
  /** The runs of its readings added up: grows with each of them, so an older mark never overwrites. */
  run: number;
  /** Names exactly what was sealed from; equal tags, equal bytes. */
  tag: string;
  /** Documents of a newer sealing are being written, or its turn died: the day is to be sealed whatever the tag says. */
  isUnderWay?: true;
  /** Lists whose entries add up to more than the total, by the share of the excess. */
  over?: Partial<Record<Part, number>>;
  /** What the level's entities add up to, in the order of {@link SUM_POSITIONS}; null = not supported there. */
  sums?: LevelSums;
}

export type SealedDays = ReadonlyMap<Day, Partial<Record<SealedPart, SealedMark>>>;

export type DayCells = ReadonlyMap<string, Cell>;

export interface DayInput {
  channel: Channel;
  account: SlotAccount;
  day: Day;
  cells: DayCells | undefined;
}

/** Readings further apart than this are no longer of one moment: what came in between is not unattributed. */
const PASS_MS = 30 * 60_000;

/** How one part of a level stands in the store: `joined` = read in one pass with the totals, or both final. */
export type PartState = 'joined' | 'lag' | 'missing';

/** The observation of one source that a level is sealed from. */
export function baseOf(cells: DayCells | undefined, source: string): number | undefined {
  return cells?.get(source)?.base;
}

/** Whether a list is there and was read in one pass with the totals. */
export function partState(
  { channel, account, day, cells }: DayInput,
  level: Level,
  part: Part,
): PartState {
  const totals = fillOf(channel, level, 'base');
  const list = fillOf(channel, level, part);
  if (!totals || !list) return 'missing';
  return pairState({ account, day, cells }, totals.source, list.source);
}

/** Whether the readings of two sources are there and of one pass. */
export function pairState(
  { account, day, cells }: Omit<DayInput, 'channel'>,
  one: Source,
  other: Source,
): PartState {
  const oneAt = cells?.get(one.id)?.fetchedAt;
  const otherAt = cells?.get(other.id)?.fetchedAt;
  if (oneAt === undefined || otherAt === undefined) return 'missing';
  if (Math.abs(oneAt - otherAt) <= PASS_MS) return 'joined';
  const areFinal =
    isFinalReading({ source: one, day, fetchedAt: oneAt, account }) &&
    isFinalReading({ source: other, day, fetchedAt: otherAt, account });
  return areFinal ? 'joined' : 'lag';
}

/**
 * The tag of what a level of a day would be sealed from now: version, the runs of its sources in table order, and which
 * lists lag behind the totals. undefined = not collected: the totals were never read.
 */
export function sealTag(input: DayInput, part: SealedPart): string | undefined {
  const { channel, cells } = input;
  if (part === 'blog') {
    const base = channel.sources[0] && baseOf(cells, channel.sources[0].id);
    return base === undefined ? undefined : `${SEAL_VERSION}:${base}`;
  }
  const totals = fillOf(channel, part, 'base');
  if (!totals || baseOf(cells, totals.source.id) === undefined) return undefined;
  const bases = sourcesOf(channel, part).map(({ id }) => baseOf(cells, id) ?? '-');
  const lagging =
    part === 'd' ? [] : channel.lists.filter((list) => partState(input, part, list) === 'lag');
  return [SEAL_VERSION, bases.join('.'), ...lagging].join(':');
}

/** The parts of a day that a channel seals. */
export function sealedParts(channel: Channel): readonly SealedPart[] {
  return channel.kind === 'blog' ? ['blog'] : LEVELS;
}

/** The parts of a day whose observations are newer than what is sealed. */
export function unsealedParts(
  input: DayInput & { sealed: Partial<Record<SealedPart, SealedMark>> | undefined },
): SealedPart[] {
  return sealedParts(input.channel).filter((part) => {
    const tag = sealTag(input, part);
    const mark = input.sealed?.[part];
    return tag !== undefined && (tag !== mark?.tag || mark.isUnderWay === true);
  });
}

export function isUnsealed(input: Parameters<typeof unsealedParts>[0]): boolean {
  return unsealedParts(input).length > 0;
}
