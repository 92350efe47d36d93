import {
  addLevelSums,
  CHANNELS,
  type Day,
  type LevelSums,
  type SealedMark,
  sealTag,
} from '@tributary/shared';
import { accounts } from './accounts.ts';
import { addUp } from './add-up.ts';
import { publishChange } from './changes.ts';
import { markSealed } from './coverage.ts';
import type { Database } from './database.ts';
import { writeAdDays, writeBlogDays } from './month-writes.ts';
import { coverOf, type PartWork, sourcesOfPart } from './part-work.ts';
import { entityIds, type Writing, writeStatDays } from './sealed-writes.ts';

/** What sealing came to. */
export interface SealOutcome {
  /** Documents written or deleted; 0 when everything was as it should be. */
  written: number;
  /** Days and parts that were sealed. */
  sealed: number;
}

/** Seals one part (a level, or the blog) of the pending days of a month, and marks the days that stood still. */
export async function sealPart(db: Database, work: PartWork, outcome: SealOutcome): Promise<void> {
  const { target, part, overtaken } = work;
  const { account, now } = target;
  const { written, isDone, sealed } = await writeShares(db, work);
  const stands = await standingOf(db, work);
  for (const [index, { day, ids }] of sealed.entries()) {
    if (!stands[index] && written > 0) overtaken.set(day, ids);
    else if (stands[index] && isDone) overtaken.delete(day);
  }
  if (!isDone) return;
  const done = marksOf(work).flatMap(({ day, mark }, index) => {
    const noted = stands[index] ? noteOf(sealed[index]) : undefined;
    return noted ? [{ day, part, mark: { ...mark, ...noted } }] : [];
  });
  const days = done.map(({ day }) => day);
  if (days.length === 0) return;
  // Told even when nothing was written now: a turn that died may have written it and told nobody.
  const change = { at: now, link: account.link, account: account._id, level: part, days };
  await publishChange(db, account.tenant, change);
  const { _id, tenant } = account;
  await markSealed(db, { account: _id, tenant }, done);
  await accounts(db).updateOne({ _id: account._id }, { $inc: { cv: 1 } });
  outcome.written += written;
  outcome.sealed += done.length;
}

/** What the shares of a day came to together. */
interface SealedShares {
  day: Day;
  ids: Set<string>;
  over: NonNullable<SealedMark['over']>;
  /** undefined before the first share. */
  sums: LevelSums | undefined;
}

/** What a mark says of the day beside what it was sealed from. */
function noteOf({
  over,
  sums = [],
}: Partial<SealedShares> = {}): Pick<SealedMark, 'over' | 'sums'> {
  const isOver = over !== undefined && Object.keys(over).length > 0;
  return { ...(isOver && { over }), ...(sums.length > 0 && { sums }) };
}

/**
 * Adds up and writes the entities share by share.
 *
 * @throws Error when stored rows are missing
 */
async function writeShares(
  db: Database,
  work: PartWork,
): Promise<Writing & { sealed: SealedShares[] }> {
  const { target, part, pending, pacer } = work;
  const { account } = target;
  const write = part === 'blog' ? writeBlogDays : part === 'd' ? writeAdDays : writeStatDays;
  const standing = () => standingOf(db, work);
  const announce = announcer(db, work);
  const sealed = pending.map(
    ({ day }): SealedShares => ({
      day,
      ids: new Set(),
      over: {},
      sums: undefined,
    }),
  );
  let written = 0;
  for (let index = 0; index < work.shares; index += 1) {
    const { opened, lacking } = await addUp(db, work, { index, of: work.shares });
    if (lacking.length > 0) {
      // Chunks go only when newer ones have replaced them: then the cells have moved, and the next round sees both.
      if ((await standing()).includes(false)) return { written, isDone: false, sealed };
      throw new Error(`Stored rows of ${account._id} are missing: ${lacking.join(', ')}`);
    }
    const share = { account, level: part, days: opened, standing, announce, pacer };
    const done = await write(db, share);
    written += done.written;
    for (const [at, day] of opened.entries()) {
      const ofDay = sealed[at];
      if (!ofDay) continue;
      for (const id of entityIds(day)) ofDay.ids.add(id);
      addOver(ofDay.over, day.entities.over);
      const sums = day.entities.sums();
      ofDay.sums = ofDay.sums ? addLevelSums(ofDay.sums, sums) : sums;
    }
    if (!done.isDone) return { written, isDone: false, sealed };
  }
  return { written, isDone: true, sealed };
}

function addOver(over: SealedShares['over'], more: SealedShares['over']): void {
  for (const [list, share] of Object.entries(more)) {
    const part = list as keyof typeof more; // Object.entries widens the keys
    over[part] = Math.max(over[part] ?? 0, share);
  }
}

/** The marks of the pending days, without what their lists exceed. */
function marksOf({ target: { account }, part, pending, cover }: PartWork) {
  return pending.map(({ day, tag }) => {
    const cells = cover.cells.get(day);
    const sources = sourcesOfPart(account, part);
    const run = sources.reduce((sum, { id }) => sum + (cells?.get(id)?.run ?? 0), 0);
    return { day, mark: { run, tag } };
  });
}

/**
 * Takes back the marks of days that are about to be written, once. A turn that dies between writing and marking would leave
 * the old mark, and readings that were not changed can bring its tag back: the days would pass for sealed.
 */
function announcer(db: Database, work: PartWork): () => Promise<void> {
  const { target, part, cover } = work;
  const { _id: account, tenant } = target.account;
  let isAnnounced = false;
  return async () => {
    if (isAnnounced) return;
    isAnnounced = true;
    const taken = marksOf(work).flatMap(({ day, mark: { run } }) => {
      const mark = cover.sealed.get(day)?.[part];
      return mark ? [{ day, part, mark: { ...mark, run, isUnderWay: true as const } }] : [];
    });
    await markSealed(db, { account, tenant }, taken);
  };
}

/** For each pending day whether it would still be sealed from the same observations. */
async function standingOf(
  db: Database,
  { target: { account }, part, pending }: PartWork,
): Promise<boolean[]> {
  const days = pending.map(({ day }) => day);
  const { cells } = await coverOf(db, account, days);
  const channel = CHANNELS[account.channel];
  const slots = { id: account._id, zone: account.zone };
  return pending.map(
    ({ day, tag }) =>
      sealTag({ channel, account: slots, day, cells: cells.get(day) }, part) === tag,
  );
}
