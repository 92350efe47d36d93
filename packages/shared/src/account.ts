import type { ChannelType } from './channels.ts';
import type { EntityCounts, EntityStatus } from './levels.ts';
import type { Suspicion } from './suspicion.ts';

export const LANES = ['fresh', 'bulk'] as const;
/** fresh: the last days, soon; bulk: restatement and backfill. */
export type Lane = (typeof LANES)[number];

/** Epoch milliseconds, UTC. */
export type Millis = number;
/** A calendar day `YYYY-MM-DD` in the account's zone. */
export type Day = string;

/**
 * How one cell (account, day, source) stands. `run`, `base`, `fetchedAt`, `digest` and `chunks` describe the stored
 * observation and are absent until there is one; the rest describes the newest attempt.
 */
export interface Cell {
  /** Order of the work: the run that last looked, successfully. */
  run?: number;
  /** The run whose chunks hold the rows (older than `run` when the answer was unchanged). */
  base?: number;
  fetchedAt?: Millis;
  digest?: string;
  chunks?: number;
  /** Spend of the totals in micros, for judging later answers. */
  spend?: number;
  /** What the rows fill, and what an earlier reading of the day filled and they do not: see `filledBits`. */
  filled?: number;
  lost?: number;
  /** The commits that changed settled totals, oldest first: the run replaced and the run that replaced it. */
  revised?: readonly Replacement[];
  state: 'ok' | 'failed' | 'suspect' | 'waiting';
  /** When the newest attempt began. */
  triedAt: Millis;
  tries?: number;
  retryAt?: Millis;
  /** A stable word for why the newest attempt gave nothing, with a sentence a person can act on. */
  code?: string;
  detail?: string;
  /** An answer that is not believed yet; state `suspect`. */
  suspicion?: Suspicion;
  /** A platform report under way; stored before its first poll, so it is created once. */
  report?: Report;
}

export type Replacement = readonly [replaced: number, by: number];

/** A report that the platform makes for some days; it holds the figures of the moment it was asked for. */
export interface Report {
  id: string;
  from: Day;
  to: Day;
  /** When it was asked for. */
  at: Millis;
}

/** Cells of one account: day → source id → cell. A missing cell was never attempted. */
export type Cells = ReadonlyMap<Day, ReadonlyMap<string, Cell>>;

/** What planning must know of an account. */
export interface PlanAccount {
  /** `<link>.<account>`; its hash spreads the slots. */
  id: string;
  channel: ChannelType;
  zone: string;
  /** The first day wanted. */
  historyFrom: Day;
  /** The link has no feed: what only a feed gives comes by import and is never asked for. */
  withoutFeed?: boolean;
  /** Not before these times, by lane. */
  until: Partial<Record<Lane, Millis>>;
  entities: EntityCounts;
}

/** Contiguous days of one source that are collected together. */
export interface Window {
  source: string;
  from: Day;
  to: Day;
  lane: Lane;
}

/** A range asked for by hand: cells fetched before `at` are due. */
export interface Wish {
  from: Day;
  to: Day;
  at: Millis;
}

/** An ad account as the platform lists it (or the blog itself). */
export interface ChannelAccount {
  id: string;
  title: string;
  zone: string;
  currency: string;
  status: EntityStatus;
}
