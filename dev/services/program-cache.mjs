// @ts-check
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { reachableFolder } from './unprivileged.mjs';

const waitTimeoutMs = 20 * 60_000;

/**
 * The folder of the programs that we downloaded or built: $XDG_CACHE_HOME/tributary, or a folder of the system where an account
 * that must run them can't enter that one.
 * @param {import('./unprivileged.mjs').Account | undefined} account
 * @param {NodeJS.ProcessEnv} env
 * @returns {string}
 */
export function programCache(account, env) {
  const xdg = env.XDG_CACHE_HOME;
  const home = xdg?.startsWith('/') ? xdg : join(homedir(), '.cache');
  const system = account ? ['/var/cache/tributary', '/var/tmp/tributary-cache'] : [];
  return reachableFolder([join(home, 'tributary'), ...system], account);
}

/**
 * The cached entry, made by `build` if it is not there. Built in a temporary folder and renamed under a lock: parallel runs share one
 * build, and a run that is killed half-way leaves nothing that looks finished.
 * @param {{ cache: string, name: string, log: (line: string) => void, signal?: AbortSignal | undefined }} entry
 * @param {(folder: string) => Promise<void>} build
 * @returns {Promise<string>} the entry's folder
 */
export async function cached({ cache, name, log, signal }, build) {
  const folder = join(cache, name);
  const exists = () =>
    stat(folder).then(
      () => true,
      () => false,
    );
  if (await exists()) return folder;
  let told = -Infinity;
  const onWait = (
    /** @type {import('./lock.mjs').Holder} */ holder,
    /** @type {number} */ seconds,
  ) => {
    if (seconds - told < 10) return;
    told = seconds;
    log(`Waiting for process ${holder.pid}, which prepares the same programs, ${seconds} s`);
  };
  await withLock(`${folder}.lock`, { timeoutMs: waitTimeoutMs, onWait, signal }, async () => {
    if (await exists()) return;
    // Whoever made these is gone, as we hold the lock.
    for (const left of await readdir(cache)) {
      if (left.startsWith(`${name}.tmp-`))
        await rm(join(cache, left), { recursive: true, force: true });
    }
    const draft = join(cache, `${name}.tmp-${randomBytes(4).toString('hex')}`);
    await mkdir(draft);
    await chmod(draft, 0o755);
    try {
      await build(draft);
      await rename(draft, folder);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  });
  return folder;
}
