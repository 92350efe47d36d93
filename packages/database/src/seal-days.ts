import {
  CHANNELS,
  createSealing,
  type Day,
  entityOf,
  type Millis,
  monthOf,
  type ObservationRow,
  partState,
  type SealedMark,
  type SealedPart,
  type Sealing,
  type Source,
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
import {
  type AnyRow,
  type Chunk,
  deleteReplaced,
  readObservations,
  rowsOf,
} from './observations.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { entityIds, type SealedDay, writeStatDays } from './sealed-writes.ts';

const ROUNDS_MAX = 20;
/** Stored rows that one sealing adds up at once, if a day has not more: bounds memory. */
const ROWS_MAX = 200_000;

export interface SealTarget {
  account: Account;
  now: Millis;
  /** Waits until that many rows may be held; answers what gives them back. */
  hold?(rows: number): Promise<() => void>;
}

/** What sealing came to. */
export interface SealOutcome {
  /** Documents written or deleted; 0 when everything was as it should be. */
  written: number;
  /** Days and parts that were sealed. */
  sealed: number;
}

/**
 * Seals the days whose observations are newer than what is served, at most one month and one level at a time. Reads the
 * cells, derives the documents, writes only those that differ and only while the cells stand; where they moved, it begins
 * again. Can be repeated at any time: a crash in the middle is mended by the next turn without a call to the platform.
 *
 * @throws the first error of some days once the others are sealed
 */
export async function sealDays(
  db: Database,
  target: SealTarget,
  days: readonly Day[],
): Promise<SealOutcome> {
  const outcome: SealOutcome = { written: 0, sealed: 0 };
  const failures: unknown[] = [];
  for (const month of new Set(days.map(monthOf))) {
    const ofMonth = days.filter((day) => monthOf(day) === month).sort();
    const replaced = new Map<string, Replaced>();
    const cover = await coverOf(db, target, ofMonth);
    for (const part of sealedParts(CHANNELS[target.account.channel])) {
      for (const slice of slicesOf(part, ofMonth, target, cover)) {
        await sealSlice(db, { target, part, replaced, ...slice }, outcome).catch(
          (error: unknown) => {
            if (isUnavailable(error)) throw error;
            failures.push(error);
          },
        );
      }
    }
  }
  if (failures.length > 0) throw failures[0];
  return outcome;
}

/** Days of a part that are sealed together. */
interface Slice {
  days: Day[];
  rows: number;
}

/** The pending days of a part, ascending, as many together as may be held at once. */
function slicesOf(
  part: SealedPart,
  days: readonly Day[],
  { account }: SealTarget,
  cover: Coverage,
): Slice[] {
  const slices: Slice[] = [];
  for (const { day } of pendingOf(account, { part, days }, cover)) {
    const rows = sourcesOfPart(account, part).reduce((sum, { id }) => {
      const digest = cover.cells.get(day)?.get(id)?.digest;
      return sum + (digest === undefined ? 0 : rowsOf(digest));
    }, 0);
    const slice = slices.at(-1);
    if (slice && slice.rows + rows <= ROWS_MAX) {
      slice.days.push(day);
      slice.rows += rows;
    } else slices.push({ days: [day], rows });
  }
  return slices;
}

function sourcesOfPart({ channel: type }: Account, part: SealedPart): readonly Source[] {
  const channel = CHANNELS[type];
  return part === 'blog' ? channel.sources : sourcesOf(channel, part);
}

interface SliceWork extends Slice {
  target: SealTarget;
  part: SealedPart;
  /** Collects where older chunks than the cell's were met. */
  replaced: Map<string, Replaced>;
}

async function sealSlice(
  db: Database,
  { target, part, days, rows, replaced }: SliceWork,
  outcome: SealOutcome,
): Promise<void> {
  const pacer = createPacer();
  const overtaken: Overtaken = new Map();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const cover = await coverOf(db, target, days);
    const pending = pendingOf(target.account, { part, days }, cover, overtaken);
    if (pending.length === 0) return;
    const work = { target, part, pending, cover, pacer, replaced, overtaken };
    const giveBack = await target.hold?.(rows);
    try {
      await sealPart(db, work, outcome);
    } finally {
      giveBack?.();
      await cleanUp(db, target, replaced);
    }
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
  { part, days }: { part: SealedPart; days: readonly Day[] },
  { cells, sealed }: Coverage,
  overtaken: Overtaken = new Map(),
): Pending[] {
  const channel = CHANNELS[account.channel];
  const slots = { id: account._id, zone: account.zone };
  return days.flatMap((day) => {
    const input = { channel, account: slots, day, cells: cells.get(day), sealed: sealed.get(day) };
    const isPending = unsealedParts(input).includes(part) || overtaken.has(overtakenKey(part, day));
    return isPending ? [{ day, part, tag: sealTag(input, part) ?? '' }] : [];
  });
}

async function coverOf(
  db: Database,
  { account }: SealTarget,
  days: readonly Day[],
): Promise<Coverage> {
  return await readCoverage(db, account._id, days[0] ?? '', days.at(-1) ?? '');
}

interface PartWork extends Pick<SliceWork, 'target' | 'part' | 'replaced'> {
  pending: readonly Pending[];
  cover: Coverage;
  pacer: Pacer;
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
  const { opened, lacking } = await addUp(db, work);
  if (lacking.length > 0) {
    // Chunks go only when newer ones have replaced them: then the cells have moved, and the next round sees both.
    if ((await standing()).includes(false)) return;
    throw new Error(`Stored rows of ${account._id} are missing: ${lacking.join(', ')}`);
  }
  const marks = pending.map(({ day, tag }) => {
    const cells = cover.cells.get(day);
    const sources = sourcesOfPart(account, part);
    const run = sources.reduce((sum, { id }) => sum + (cells?.get(id)?.run ?? 0), 0);
    return { day, part, mark: { run, tag } };
  });
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
    days: opened,
    standing,
    announce,
    pacer,
  });
  const stands = await standing();
  for (const [index, sealedDay] of opened.entries()) {
    const key = overtakenKey(part, sealedDay.day);
    if (!stands[index] && written > 0) overtaken.set(key, entityIds(sealedDay));
    else if (stands[index] && isDone) overtaken.delete(key);
  }
  if (!isDone) return;
  const done = marks.flatMap(({ mark, ...place }, index) => {
    const over = opened[index]?.entities.over ?? {};
    const isOver = Object.keys(over).length > 0;
    return stands[index] ? [{ ...place, mark: { ...mark, ...(isOver && { over }) } }] : [];
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

/** A day whose rows are being added up. */
interface OpenDay extends SealedDay {
  entities: SealedDay['entities'] & Pick<Sealing, 'add' | 'over'>;
  former: Set<string>;
  blog: AnyRow[];
}

/** Adds up the stored rows of the pending days, chunk by chunk; names the cells whose chunks are not all there. */
async function addUp(
  db: Database,
  work: PartWork,
): Promise<{ opened: OpenDay[]; lacking: string[] }> {
  const { target, part, pending, cover, replaced, pacer } = work;
  const { account } = target;
  const opened = pending.map(({ day }) => openDay(work, day));
  const byDay = new Map(opened.map((one) => [one.day, one]));
  const lacking: string[] = [];
  const [from = '', to = ''] = [pending[0]?.day, pending.at(-1)?.day];
  for (const { id: source } of sourcesOfPart(account, part)) {
    const found = new Map<Day, number>();
    for await (const chunk of readObservations(db, { account: account._id, source, from, to })) {
      const { day, run } = chunk;
      const base = cover.cells.get(day)?.get(source)?.base;
      if (run < (base ?? 0)) replaced.set(`${source}.${day}`, { source, day });
      if (base === undefined) continue;
      if (run === base) found.set(day, (found.get(day) ?? 0) + 1);
      const open = byDay.get(day);
      if (open) addChunk(open, chunk, { part, base });
      await pacer.pause();
    }
    for (const { day } of pending) {
      const chunks = cover.cells.get(day)?.get(source)?.chunks ?? 0;
      if ((found.get(day) ?? 0) < chunks) lacking.push(`${source} of ${day}`);
    }
  }
  return { opened, lacking };
}

function addChunk(
  open: OpenDay,
  { run, set, rows }: Chunk,
  { part, base }: { part: SealedPart; base: number },
): void {
  if (part === 'blog') {
    if (run === base) open.blog = rows;
    return;
  }
  const ofAds = rows as ObservationRow[]; // only the blog's set holds other rows
  if (run === base) open.entities.add(set, ofAds);
  else for (const row of ofAds) open.former.add(entityOf(row, part));
}

const NO_ENTITIES: OpenDay['entities'] = {
  add: () => undefined,
  ids: () => new Set(),
  sealEntity: () => undefined,
  over: {},
};

function openDay({ target: { account }, part, cover, overtaken }: PartWork, day: Day): OpenDay {
  const cells = cover.cells.get(day);
  const bases = sourcesOfPart(account, part).filter(({ id }) => cells?.get(id)?.base !== undefined);
  const run = Math.max(0, ...bases.map(({ id }) => cells?.get(id)?.base ?? 0));
  const former = new Set(overtaken.get(overtakenKey(part, day)));
  if (part === 'blog') return { day, run, entities: NO_ENTITIES, former, blog: [] };
  const channel = CHANNELS[account.channel];
  const slots = { id: account._id, zone: account.zone };
  const lagging = new Set(
    channel.lists.filter(
      (list) => partState({ channel, account: slots, day, cells }, part, list) === 'lag',
    ),
  );
  const sets = new Set(bases.flatMap(({ fills }) => fills.map(({ from }) => from)));
  const entities = createSealing({ channel, level: part, date: day, sets, lagging });
  return { day, run, entities, former, blog: [] };
}

/** Deletes the replaced chunks that were met, of days whose every part is sealed from the current ones. */
async function cleanUp(
  db: Database,
  target: SealTarget,
  replaced: Map<string, Replaced>,
): Promise<void> {
  if (replaced.size === 0) return;
  const days = [...new Set([...replaced.values()].map(({ day }) => day))].sort();
  const cover = await coverOf(db, target, days);
  const parts = sealedParts(CHANNELS[target.account.channel]);
  const unsealed = new Set(
    parts.flatMap((part) => pendingOf(target.account, { part, days }, cover).map(({ day }) => day)),
  );
  for (const [key, { source, day }] of replaced) {
    const base = cover.cells.get(day)?.get(source)?.base;
    if (unsealed.has(day) || base === undefined) continue;
    await deleteReplaced(db, { account: target.account._id, source, day, base });
    replaced.delete(key);
  }
}
