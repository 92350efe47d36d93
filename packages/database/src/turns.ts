import type { Lane, Millis } from '@tributary/shared';
import { type Account, accounts } from './accounts.ts';
import type { Database } from './database.ts';

/** Until when nothing of a lane is called, and why: a stable word and a sentence. */
export interface LaneQuiet {
  until: Millis;
  code: string;
  detail: string;
}

export interface LaneState {
  /** The run of the newest turn of this lane. */
  run: number;
  /** Turns begun since one last ended; a turn that keeps killing its process shows here. */
  starts: number;
  busyUntil: Millis;
  /** Stays when its time is over, until there is another. */
  quiet?: LaneQuiet;
}

/**
 * Begins a turn: takes the account's next run number. The answer carries it in `run` and `lane[lane].run`; `starts`
 * tells how many turns of the lane began without an end.
 */
export async function beginTurn(
  db: Database,
  { id, lane, busyUntil }: { id: string; lane: Lane; busyUntil: Millis },
): Promise<Account | undefined> {
  const begun = await accounts(db).findOneAndUpdate(
    { _id: id },
    [
      {
        $set: {
          run: { $add: ['$run', 1] },
          [`lane.${lane}.run`]: { $add: ['$run', 1] },
          [`lane.${lane}.starts`]: { $add: [`$lane.${lane}.starts`, 1] },
          [`lane.${lane}.busyUntil`]: busyUntil,
        },
      },
    ],
    { returnDocument: 'after' },
  );
  return begun ?? undefined;
}

/** Takes the account's next run number for work that is no turn; turns under way go on. */
export async function takeRun(db: Database, id: string): Promise<number | undefined> {
  const update = { $inc: { run: 1 } };
  const options = { returnDocument: 'after', projection: { run: 1 } } as const;
  return (await accounts(db).findOneAndUpdate({ _id: id }, update, options))?.run;
}

/** The turn stored something: whatever ends it now, it was not in vain and counts as no failed start. */
export async function markProgress(
  db: Database,
  { id, lane, run, readAt }: { id: string; lane: Lane; run: number; readAt: Millis },
): Promise<void> {
  await accounts(db).updateOne(
    { _id: id, [`lane.${lane}.run`]: run },
    { $set: { [`lane.${lane}.starts`]: 0 }, $max: { readAt } },
  );
}

/** A turn that works for long tells that it is still under way. */
export async function stayBusy(
  db: Database,
  { id, lane, run, busyUntil }: { id: string; lane: Lane; run: number; busyUntil: Millis },
): Promise<void> {
  await accounts(db).updateOne(
    { _id: id, [`lane.${lane}.run`]: run },
    { $max: { [`lane.${lane}.busyUntil`]: busyUntil } },
  );
}

export interface TurnEnd {
  id: string;
  lane: Lane;
  run: number;
  quiet?: LaneQuiet;
  failing?: NonNullable<Account['failing']>;
}

/** Ends a turn, unless a newer one of the lane has begun. */
export async function endTurn(
  db: Database,
  { id, lane, run, quiet, failing }: TurnEnd,
): Promise<void> {
  await accounts(db).updateOne(
    { _id: id, [`lane.${lane}.run`]: run },
    {
      $set: {
        [`lane.${lane}.starts`]: 0,
        [`lane.${lane}.busyUntil`]: 0,
        ...(quiet && { [`lane.${lane}.quiet`]: quiet }),
      },
      ...(failing && { $max: { failing } }), // compared by `at` first
    },
  );
}

/** How many turns of a tenant run in a lane now. */
export async function countBusyTurns(
  db: Database,
  { tenant, lane, now }: { tenant: string; lane: Lane; now: Millis },
): Promise<number> {
  return await accounts(db).countDocuments({ tenant, [`lane.${lane}.busyUntil`]: { $gt: now } });
}
