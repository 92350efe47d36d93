import {
  CHANNELS,
  createSealing,
  type Day,
  entityOf,
  type ObservationRow,
  partState,
  type SealedPart,
  type Sealing,
  spread,
} from '@tributary/shared';
import type { Database } from './database.ts';
import { type AnyRow, type Chunk, readObservations } from './observations.ts';
import { type PartWork, sourcesOfPart } from './part-work.ts';
import type { SealedDay } from './sealed-writes.ts';

/** A day whose rows are added up. */
export interface OpenDay extends SealedDay {
  entities: SealedDay['entities'] & Pick<Sealing, 'add' | 'over' | 'sums'>;
  former: Set<string>;
  blog: AnyRow[];
}

/** A share of the entities: those whose id falls into it. */
export interface Share {
  index: number;
  of: number;
}

function isOf({ index, of }: Share, id: string): boolean {
  return of === 1 || spread(id, of) === index;
}

/**
 * Adds up the stored rows of a share of the entities over the pending days, chunk by chunk; names the cells whose chunks
 * are not all there.
 */
export async function addUp(
  db: Database,
  work: PartWork,
  share: Share,
): Promise<{ opened: OpenDay[]; lacking: string[] }> {
  const { target, part, pending, cover, replaced, pacer } = work;
  const { account } = target;
  const opened = pending.map(({ day }) => openDay(work, day, share));
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
      if (open) addChunk(open, chunk, { part, base, share });
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
  { part, base, share }: { part: SealedPart; base: number; share: Share },
): void {
  if (part === 'blog') {
    if (run === base) open.blog = rows;
    return;
  }
  const ofAds = rows as ObservationRow[]; // only the blog's set holds other rows
  const shared = ofAds.filter((row) => isOf(share, entityOf(row, part)));
  if (run === base) open.entities.add(set, shared);
  else for (const row of shared) open.former.add(entityOf(row, part));
}

const NO_ENTITIES: OpenDay['entities'] = {
  add: () => undefined,
  ids: () => new Set(),
  sealEntity: () => undefined,
  sums: () => [],
  over: {},
};

function openDay(
  { target: { account }, part, cover, overtaken }: PartWork,
  day: Day,
  share: Share,
): OpenDay {
  const cells = cover.cells.get(day);
  const read = sourcesOfPart(account, part).filter(({ id }) => cells?.get(id)?.base !== undefined);
  const run = Math.max(0, ...read.map(({ id }) => cells?.get(id)?.base ?? 0));
  const former = new Set([...(overtaken.get(day) ?? [])].filter((id) => isOf(share, id)));
  if (part === 'blog') return { day, run, entities: NO_ENTITIES, former, blog: [] };
  const channel = CHANNELS[account.channel];
  const slots = { id: account._id, zone: account.zone };
  const lagging = new Set(
    channel.lists.filter(
      (list) => partState({ channel, account: slots, day, cells }, part, list) === 'lag',
    ),
  );
  const sets = new Set(read.flatMap(({ fills }) => fills.map(({ from }) => from)));
  const entities = createSealing({ channel, level: part, date: day, sets, lagging });
  return { day, run, entities, former, blog: [] };
}
