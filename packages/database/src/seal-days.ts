import {
  CHANNELS,
  type Channel,
  type Day,
  type Dimension,
  entityOf,
  type Level,
  type LevelSums,
  levelSums,
  type Millis,
  metricsOf,
  monthOf,
  type ObservationRow,
  partState,
  type SealedMark,
  type SealedPart,
  type SetId,
  type Source,
  seal,
  sealedParts,
  sealTag,
  sourcesOf,
  unsealedParts,
} from '@tributary/shared';
import { type Account, accounts } from './accounts.ts';
import { publishChange } from './changes.ts';
import { type Coverage, markSealed, readCoverage } from './coverage.ts';
import { type Database, isUnavailable } from './database.ts';
import { writeAdDays, writeBlogDays } from './month-writes.ts';
import { type DayObservation, deleteReplaced, readObservations, rowsOf } from './observations.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { type SealedDay, writeStatDays } from './sealed-writes.ts';

const ROUNDS_MAX = 20;
/** Stored rows that one sealing reads at once, if a day has not more: bounds memory. */
const ROWS_MAX = 200_000;

export interface SealTarget {
  account: Account;
  now: Millis;
}

/** What sealing came to. */
export interface SealOutcome {
  /** Documents written or deleted; 0 when everything was as it should be. */
  written: number;
  /** Days and parts that were sealed. */
  sealed: number;
}

/**
 * Seals the days whose observations are newer than what is served, at most one month at a time. Reads the cells, derives the
 * documents, writes only those that differ and only while the cells stand; where they moved, it begins again.
 * Can be repeated at any time: a crash in the middle is mended by the next turn without a call to the platform.
 *
 * @throws the first error of some days once their other parts are sealed
 */
export async function sealDays(
  db: Database,
  target: SealTarget,
  days: readonly Day[],
): Promise<SealOutcome> {
  const outcome: SealOutcome = { written: 0, sealed: 0 };
  for (const month of new Set(days.map(monthOf))) {
    const ofMonth = days.filter((day) => monthOf(day) === month).sort();
    const { cells } = await coverOf(db, target, ofMonth);
    for (const slice of slicesOf(ofMonth, cells)) await sealSlice(db, target, slice, outcome);
  }
  return outcome;
}

/** Ascending days, as many together as may be read at once. */
function slicesOf(days: readonly Day[], cells: Coverage['cells']): Day[][] {
  const slices: Day[][] = [];
  let left = 0;
  for (const day of days) {
    const stored = [...(cells.get(day)?.values() ?? [])];
    const rows = stored.reduce((sum, { digest }) => sum + (digest ? rowsOf(digest) : 0), 0);
    left -= rows;
    const slice = left < 0 ? undefined : slices.at(-1);
    if (slice) slice.push(day);
    else {
      slices.push([day]);
      left = ROWS_MAX - rows;
    }
  }
  return slices;
}

async function sealSlice(
  db: Database,
  target: SealTarget,
  days: readonly Day[],
  outcome: SealOutcome,
): Promise<void> {
  const pacer = createPacer();
  const replaced = new Map<string, Replaced>();
  const overtaken: Overtaken = new Map();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const cover = await coverOf(db, target, days);
    const todo = pendingOf(target.account, days, cover, overtaken);
    if (todo.length === 0) return;
    const failures: unknown[] = [];
    for (const part of new Set(todo.map((one) => one.part))) {
      const pending = todo.filter((one) => one.part === part);
      const work = { target, part, pending, cover, pacer, replaced, overtaken };
      await sealPart(db, work, outcome).catch((error: unknown) => {
        if (isUnavailable(error)) throw error;
        failures.push(error);
      });
    }
    await cleanUp(db, target, days, replaced);
    if (failures.length > 0) throw failures[0];
  }
  if (overtaken.size > 0) {
    throw new Error(
      `Sealing ${[...overtaken.keys()].join(', ')} of ${target.account._id} was overtaken ${ROUNDS_MAX} times`,
    );
  }
}

/**
 * The entities of days, by {@link overtakenKey}, whose cells moved while their documents were written. A newer sealing
 * that found nothing to change may have been overwritten then, and its mark hides that: they are sealed once more.
 */
type Overtaken = Map<string, ReadonlySet<string>>;

function overtakenKey(part: SealedPart, day: Day): string {
  return `${part}.${day}`;
}

interface Pending {
  day: Day;
  part: SealedPart;
  /** What the part is sealed from. */
  tag: string;
}

function pendingOf(
  account: Account,
  days: readonly Day[],
  { cells, sealed }: Coverage,
  overtaken: Overtaken = new Map(),
): Pending[] {
  const channel = CHANNELS[account.channel];
  const slots = { id: account._id, zone: account.zone };
  return days.flatMap((day) => {
    const input = { channel, account: slots, day, cells: cells.get(day), sealed: sealed.get(day) };
    const unsealed = unsealedParts(input);
    return sealedParts(channel)
      .filter((part) => unsealed.includes(part) || overtaken.has(overtakenKey(part, day)))
      .map((part) => ({ day, part, tag: sealTag(input, part) ?? '' }));
  });
}

async function coverOf(
  db: Database,
  { account }: SealTarget,
  days: readonly Day[],
): Promise<Coverage> {
  return await readCoverage(db, account._id, days[0] ?? '', days.at(-1) ?? '');
}

interface PartWork {
  target: SealTarget;
  part: SealedPart;
  pending: readonly Pending[];
  cover: Coverage;
  pacer: Pacer;
  /** Collects where older chunks than the cell's were met. */
  replaced: Map<string, Replaced>;
  overtaken: Overtaken;
}

interface Replaced {
  source: string;
  day: Day;
}

/** Seals one part (a level, or the blog) of the pending days of a month, and marks the days that stood still. */
async function sealPart(db: Database, work: PartWork, outcome: SealOutcome): Promise<void> {
  const { target, part, pending, cover, pacer, overtaken } = work;
  const { account, now } = target;
  const channel = CHANNELS[account.channel];
  const sources = part === 'blog' ? channel.sources : sourcesOf(channel, part);
  const standing = async () =>
    stillStanding(
      pending,
      account,
      await coverOf(
        db,
        target,
        pending.map(({ day }) => day),
      ),
    );
  const { stored, lacking } = await loadObservations(db, work, sources);
  if (lacking.length > 0) {
    // Chunks go only when newer ones have replaced them: then the cells have moved, and the next round sees both.
    if ((await standing()).includes(false)) return;
    throw new Error(`Stored rows of ${account._id} are missing: ${lacking.join(', ')}`);
  }
  const marks: { day: Day; part: SealedPart; mark: SealedMark }[] = [];
  const sealedDays: SealedDay[] = [];
  for (const { day, tag } of pending) {
    const written = overtaken.get(overtakenKey(part, day)) ?? [];
    const { sealed, over } = sealOne({ account, channel, part, day, cover, stored, written });
    sealedDays.push(sealed);
    const cells = cover.cells.get(day);
    const run = sources.reduce((sum, { id }) => sum + (cells?.get(id)?.run ?? 0), 0);
    const sums = part === 'blog' ? undefined : sumsOf(channel, part, sealed.entities);
    marks.push({
      day,
      part,
      mark: { run, tag, ...(Object.keys(over).length > 0 && { over }), ...(sums && { sums }) },
    });
    await pacer.pause();
  }
  let isAnnounced = false;
  const announce = async () => {
    if (isAnnounced) return;
    isAnnounced = true;
    await unmark(db, account, cover, marks);
  };
  const write = part === 'blog' ? writeBlogDays : part === 'd' ? writeAdDays : writeStatDays;
  const { written, isDone } = await write(db, {
    account,
    level: part,
    days: sealedDays,
    standing,
    announce,
    pacer,
  });
  const stands = await standing();
  for (const [index, { day, entities, former }] of sealedDays.entries()) {
    const key = overtakenKey(part, day);
    if (!stands[index] && written > 0) overtaken.set(key, new Set([...entities.keys(), ...former]));
    else if (stands[index] && isDone) overtaken.delete(key);
  }
  if (!isDone) return;
  const done = marks.filter((_, index) => stands[index]);
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

/**
 * Takes back the marks of days that are about to be written. A turn that dies between writing and marking would leave the
 * old mark, and readings that were not changed can bring its tag back: the days would pass for sealed.
 */
async function unmark(
  db: Database,
  { _id, tenant }: Account,
  { sealed }: Coverage,
  marks: readonly { day: Day; part: SealedPart; mark: SealedMark }[],
): Promise<void> {
  const taken = marks.flatMap(({ day, part, mark: { run } }) => {
    const mark = sealed.get(day)?.[part];
    return mark ? [{ day, part, mark: { ...mark, run, isUnderWay: true as const } }] : [];
  });
  await markSealed(db, { account: _id, tenant }, taken);
}

/** For each pending part whether it would still be sealed from the same observations. */
function stillStanding(
  pending: readonly Pending[],
  account: Account,
  { cells }: Coverage,
): boolean[] {
  const channel = CHANNELS[account.channel];
  const slots = { id: account._id, zone: account.zone };
  return pending.map(
    ({ day, part, tag }) =>
      sealTag({ channel, account: slots, day, cells: cells.get(day) }, part) === tag,
  );
}

async function loadObservations(
  db: Database,
  { target, pending, cover, replaced }: PartWork,
  sources: readonly Source[],
): Promise<{ stored: Map<string, DayObservation[]>; lacking: string[] }> {
  const from = pending[0]?.day ?? '';
  const to = pending.at(-1)?.day ?? '';
  const stored = new Map<string, DayObservation[]>();
  const lacking: string[] = [];
  for (const { id } of sources) {
    const range = { account: target.account._id, source: id, from, to };
    const pieces = await readObservations(db, range);
    stored.set(id, pieces);
    for (const { day, run } of pieces) {
      const base = cover.cells.get(day)?.get(id)?.base ?? 0;
      if (run < base) replaced.set(`${id}.${day}`, { source: id, day });
    }
    for (const { day } of pending) {
      const cell = cover.cells.get(day)?.get(id);
      const found = pieces.filter((piece) => piece.day === day && piece.run === cell?.base);
      if (found.length < (cell?.chunks ?? 0)) lacking.push(`${id} of ${day}`);
    }
  }
  return { stored, lacking };
}

interface SealOne {
  account: Account;
  channel: Channel;
  part: SealedPart;
  day: Day;
  cover: Coverage;
  stored: ReadonlyMap<string, readonly DayObservation[]>;
  /** Entities that an earlier round wrote and was overtaken. */
  written: Iterable<string>;
}

function sealOne(input: SealOne): { sealed: SealedDay; over: Partial<Record<Dimension, number>> } {
  const { account, channel, part, day, cover, stored, written } = input;
  const cells = cover.cells.get(day);
  const sets = new Map<SetId, ObservationRow[]>();
  const former = new Set(written);
  let run = 0;
  let blog: DayObservation['rows'] = [];
  for (const [source, pieces] of stored) {
    const base = cells?.get(source)?.base;
    if (base === undefined) continue;
    run = Math.max(run, base);
    for (const set of setsOf(channel, source)) sets.set(set, []);
    for (const piece of pieces.filter((one) => one.day === day)) {
      if (piece.set === 'blog') {
        if (piece.run === base) blog = piece.rows;
        continue;
      }
      const rows = piece.rows as ObservationRow[]; // only the blog's set holds other rows
      if (piece.run === base) sets.get(piece.set)?.push(...rows);
      else if (part !== 'blog') for (const row of rows) former.add(entityOf(row, part));
    }
  }
  if (part === 'blog') return { sealed: { day, run, blog, entities: new Map(), former }, over: {} };
  const slots = { id: account._id, zone: account.zone };
  const lagging = new Set(
    channel.lists.filter(
      (list) => partState({ channel, account: slots, day, cells }, part, list) === 'lag',
    ),
  );
  const { entities, over } = seal({ channel, level: part, date: day, sets, lagging });
  return { sealed: { day, run, blog, entities, former }, over };
}

function sumsOf(channel: Channel, level: Level, entities: SealedDay['entities']): LevelSums {
  const totals = [...entities.values()].map((entity) => entity.totals);
  return levelSums(totals, metricsOf(channel, level));
}

function setsOf(channel: Channel, source: string): Set<SetId> {
  const fills = channel.sources.find(({ id }) => id === source)?.fills ?? [];
  return new Set(fills.map(({ from }) => from));
}

/** Deletes the replaced chunks that were met, of days whose every part is sealed from the current ones. */
async function cleanUp(
  db: Database,
  target: SealTarget,
  days: readonly Day[],
  replaced: ReadonlyMap<string, Replaced>,
): Promise<void> {
  if (replaced.size === 0) return;
  const cover = await coverOf(db, target, days);
  const unsealed = new Set(pendingOf(target.account, days, cover).map(({ day }) => day));
  for (const { source, day } of replaced.values()) {
    const base = cover.cells.get(day)?.get(source)?.base;
    if (unsealed.has(day) || base === undefined) continue;
    await deleteReplaced(db, { account: target.account._id, source, day, base });
  }
}
