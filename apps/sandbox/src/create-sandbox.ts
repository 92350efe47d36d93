import type { Server } from 'node:http';
import { createClock } from './control/clock.ts';
import { createFaults } from './control/faults.ts';
import { createLedger } from './control/ledger.ts';
import { createControl } from './control/routes.ts';
import { createFeed } from './feed/app.ts';
import type { Call } from './http/call.ts';
import { answerCall, type Channel, type ChannelDeps } from './http/channel.ts';
import { createHttpServer } from './http/server.ts';
import { createPortal1Da } from './portal1-da/app.ts';
import { createSearchAd } from './portal1-search-ad/app.ts';
import { createPortal2Display } from './portal2-display/platform.ts';
import { createPortal2Keyword } from './portal2-keyword/platform.ts';
import {
  createSearchEngineAds,
  type SearchEngineAdsOptions,
} from './search-engine-ads/platform.ts';
import { createSocialAds } from './social-ads/app.ts';
import { createBlogTeller } from './truth/blog-teller.ts';
import { createSocialTeller } from './truth/social-teller.ts';
import type { TruthTeller } from './truth/truth-teller.ts';
import { createBlog } from './world/blog.ts';
import { createDisplayWorld } from './world/display.ts';
import { createSocialFacts } from './world/social-facts.ts';
import { createSocialTree } from './world/social-tree.ts';

export interface SandboxOptions {
  /** All figures and ids are a function of it. */
  seed: string;
  /** What the clock shows at first, epoch milliseconds; without it real time. */
  now?: number | undefined;
  /** Multiplies the social channel's standing campaigns; default 1. */
  scale?: number | undefined;
  /** The social app demands `appsecret_proof`. */
  requireProof?: boolean | undefined;
  /**
   * The social channel's calls per account and hour; default = the platform's limited tier. 0 = unlimited, and PORTAL2_DISPLAY
   * demands no pauses then.
   */
  callsPerHour?: number | undefined;
  searchEngineAds?: Omit<SearchEngineAdsOptions, 'scale'> | undefined;
}

export interface Sandbox {
  server: Server;
  /** Starts to listen; port 0 takes a free one. Answers with the port. */
  listen(port: number, host?: string): Promise<number>;
  /** Stops listening and cuts open connections, hanging calls among them. */
  close(): Promise<void>;
}

/** One channel's platform: its dialect at its prefix, and what its world knows. */
export interface Platform {
  prefix: string;
  channel: Channel;
  teller: TruthTeller;
}

const DISPLAY_CALLS_PER_SECOND = 20;

/** Builds the simulated platforms; nothing runs until `listen`. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { seed } = options;
  const clock = createClock(options.now);
  const deps = { seed, clock, ledger: createLedger(), faults: createFaults() };
  const display = createDisplayWorld(seed, options.scale ?? 1);
  const platforms: readonly Platform[] = [
    socialAds(deps, options),
    createSearchAd(deps, {
      scale: options.scale ?? 1,
      isUnlimited: options.callsPerHour === 0,
    }),
    createPortal2Keyword(deps, options),
    createPortal1Da(deps, {
      world: display,
      callsPerSecond: options.callsPerHour === 0 ? 0 : DISPLAY_CALLS_PER_SECOND,
    }),
    createPortal2Display(deps, { scale: options.scale, isLimited: options.callsPerHour !== 0 }),
    createSearchEngineAds(deps, { ...options.searchEngineAds, scale: options.scale }),
  ];
  const blog = createBlog(seed);
  const feedDeps = { now: clock.now, blog, display };
  const feeds: Record<string, Channel> = {
    '/v1/observations': createFeed('PORTAL1_DA', feedDeps),
    '/v1/blog-days': createFeed('PORTAL1_BLOG', feedDeps),
  };
  const blogFeed = createFeed('PORTAL1_BLOG', feedDeps);
  const tellers: Record<string, TruthTeller> = {
    ...Object.fromEntries(platforms.map(({ channel, teller }) => [channel.name, teller])),
    PORTAL1_BLOG: createBlogTeller(blog),
  };
  const server = createHttpServer([
    { prefix: '/__sandbox', answer: createControl({ ...deps, tellers }) },
    ...platforms.map(({ prefix, channel }) => ({
      prefix,
      answer: (call: Call) => answerCall(channel, deps, call),
    })),
    { prefix: '/feed', answer: (call) => answerCall(feeds[call.path] ?? blogFeed, deps, call) },
  ]);
  return {
    server,
    listen: (port, host = '127.0.0.1') =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          const address = server.address();
          resolve(typeof address === 'object' && address !== null ? address.port : port);
        });
      }),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

function socialAds(deps: ChannelDeps, options: SandboxOptions): Platform {
  const tree = createSocialTree(deps.seed, options.scale ?? 1);
  const facts = createSocialFacts(deps.seed);
  const { requireProof = false, callsPerHour } = options;
  return {
    prefix: '/social-ads',
    channel: createSocialAds({ ...deps, tree, facts, requireProof, callsPerHour }),
    teller: createSocialTeller(tree, facts),
  };
}
