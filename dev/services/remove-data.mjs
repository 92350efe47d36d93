// @ts-check
import { readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { settleLeftovers } from './keeper-client.mjs';
import { LockedError, takeLock } from './lock.mjs';
import { removePostgresFolder } from './postgres.mjs';

/**
 * Removes the data of the servers in a data folder and all else there but the names in `keep`.
 * Throws LockedError while another process uses the folder. A folder that does not exist is no error.
 * @param {string} dataDir
 * @param {{ log: (line: string) => void, keep?: (name: string) => boolean }} options
 */
export async function removeData(dataDir, { log, keep = () => false }) {
  const folder = await realpath(dataDir).catch(() => undefined);
  if (folder === undefined) return;
  const lock = await takeLock(join(folder, 'services.lock'));
  try {
    await settleLeftovers(folder, log);
    await removePostgresFolder(folder);
    for (const name of await readdir(folder)) {
      if (name !== 'services.lock' && !keep(name))
        await rm(join(folder, name), { recursive: true, force: true });
    }
  } finally {
    await lock.release();
  }
  if ((await readdir(folder)).length === 0) await rm(folder, { recursive: true, force: true });
}

/**
 * Removes the folders of killed test runs; those of running ones are left alone.
 * @param {string} parent
 * @param {{ prefix: string, log: (line: string) => void }} options
 */
export async function removeAbandoned(parent, { prefix, log }) {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    try {
      await removeData(join(parent, name), { log });
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
    }
  }
}
