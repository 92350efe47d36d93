import type { Server } from 'node:http';
import { createClock } from './control/clock.ts';
import { createFaults } from './control/faults.ts';
import { createLedger } from './control/ledger.ts';
import { createControl } from './control/routes.ts';
import { createFeed } from './feed/app.ts';
import { answerCall, type Channel } from './http/channel.ts';
import { createHttpServer } from './http/server.ts';
import { createSocialAds } from './social-ads/app.ts';
import { createBlog } from './world/blog.ts';
import { createDisplay } from './world/display.ts';
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
  /** The social channel's calls per account and hour; 0 = unlimited; default = the platform's limited tier. */
  callsPerHour?: number | undefined;
}

export interface Sandbox {
  server: Server;
  /** Starts to listen; port 0 takes a free one. Answers with the port. */
  listen(port: number, host?: string): Promise<number>;
  /** Stops listening and cuts open connections, hanging calls among them. */
  close(): Promise<void>;
}

/** Builds the simulated platforms; nothing runs until `listen`. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { seed, scale = 1 } = options;
  const clock = createClock(options.now);
  const deps = { seed, clock, ledger: createLedger(), faults: createFaults() };
  const tree = createSocialTree(seed, scale);
  const facts = createSocialFacts(seed);
  const blog = createBlog(seed);
  const feedDeps = { now: clock.now, blog, display: createDisplay(seed) };
  const social = createSocialAds({
    ...deps,
    tree,
    facts,
    requireProof: options.requireProof ?? false,
    callsPerHour: options.callsPerHour,
  });
  const feeds: Record<string, Channel> = {
    '/v1/observations': createFeed('PORTAL1_DA', feedDeps),
    '/v1/blog-days': createFeed('PORTAL1_BLOG', feedDeps),
  };
  const blogFeed = createFeed('PORTAL1_BLOG', feedDeps);
  const server = createHttpServer([
    { prefix: '/__sandbox', answer: createControl({ ...deps, tree, facts, blog }) },
    { prefix: '/social-ads', answer: (call) => answerCall(social, deps, call) },
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
