import type { Clock } from '@tributary/runtime';
import type { Level } from '@tributary/shared';
import type { Portal2Client } from '../portal2/client.ts';
import { listPlaced, type Placed } from './entities.ts';

/** Well within the half hour in which lists and totals count as one moment: what is new is in the next reading. */
const KEPT_MS = 5 * 60_000;
const KEPT_MAX = 300;

const ABOVE = { c: undefined, g: 'c', d: 'g' } as const;

/** The objects that reports can be asked for: the platform wants their ids. */
export interface Roster {
  of(
    client: Portal2Client,
    owner: { link: string; account: string },
    level: Level,
  ): Promise<readonly Placed[]>;
}

/** Lists an account's objects and keeps them for a few minutes, so that one turn lists them once. */
export function createRoster(clock: Clock): Roster {
  const kept = new Map<string, { at: number; objects: readonly Placed[] }>();

  async function find(
    client: Portal2Client,
    owner: { link: string; account: string },
    level: 'c' | 'g' | 'd',
  ): Promise<{ at: number; objects: readonly Placed[] }> {
    const key = `${owner.link}/${owner.account}/${level}`;
    const known = kept.get(key);
    const now = clock.now();
    if (known && now >= known.at && now < known.at + KEPT_MS) return known;
    const above = ABOVE[level] && (await find(client, owner, ABOVE[level]));
    const objects = await listPlaced(client, owner.account, {
      level,
      above: above?.objects ?? [],
    });
    // A list is as old as the one that it was made from.
    const listed = { at: above?.at ?? now, objects };
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(key, listed);
    return listed;
  }

  return {
    async of(client, owner, level) {
      if (level === 'a') return [{ campaign: '', adGroup: '', ad: '' }];
      return (await find(client, owner, level)).objects;
    },
  };
}
