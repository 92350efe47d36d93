import type { Platform } from '../create-sandbox.ts';
import type { ChannelDeps } from '../http/channel.ts';
import { createAdsTeller } from '../truth/ads-teller.ts';
import { createDisplayChannel } from './app.ts';
import { DISPLAY_TRUTH } from './truth-rules.ts';
import { createDisplayWorld } from './world.ts';

/** PORTAL2_DISPLAY: the portal's display advertising. */
export function createPortal2Display(
  deps: ChannelDeps,
  { scale = 1, isLimited }: { scale?: number | undefined; isLimited: boolean },
): Platform {
  const world = createDisplayWorld(deps.seed, scale);
  return {
    prefix: '/portal2-display',
    channel: createDisplayChannel({ ...deps, ...world, isLimited }),
    teller: createAdsTeller(world.accounts, world.facts, DISPLAY_TRUTH),
  };
}
