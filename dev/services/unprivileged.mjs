// @ts-check
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** @typedef {{ uid: number, gid: number }} Account */

/**
 * The account under which programs run that refuse to run as root: nobody when we are root, undefined (our own) otherwise.
 * @returns {Account | undefined}
 */
export function unprivilegedAccount() {
  if (process.getuid?.() !== 0) return undefined;
  return parseNobody(readFileSync('/etc/passwd', 'utf8'));
}

/**
 * @param {string} passwd the text of /etc/passwd
 * @returns {Account}
 */
export function parseNobody(passwd) {
  const fields = /^nobody:.*$/m.exec(passwd)?.[0].split(':') ?? [];
  return { uid: Number(fields[2] ?? 65534), gid: Number(fields[3] ?? 65534) };
}

/**
 * The first of the folders that the account can reach, created if need be. A home of root is closed to everybody else,
 * and with it whatever lies below: then a folder of the system takes its place.
 * @param {readonly string[]} candidates absolute paths, the favourite first
 * @param {Account | undefined} account undefined: we alone
 * @returns {string}
 */
export function reachableFolder(candidates, account) {
  /** @type {string[]} */
  const refused = [];
  for (const folder of candidates) {
    // Asked of the nearest folder that exists, so that nothing is created where it would be no use.
    if (account && !canEnter(nearestExisting(folder), account)) {
      refused.push(`${folder} (closed to uid ${account.uid})`);
      continue;
    }
    try {
      createFolder(folder);
      return folder;
    } catch (error) {
      refused.push(`${folder} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  throw new Error(`No usable folder among ${refused.join(', ')}`);
}

/**
 * Creates the folder and its missing parents, open for reading whatever our umask is. A folder that somebody else owns is refused:
 * programs are run from it.
 * @param {string} folder
 */
function createFolder(folder) {
  if (!statSync(folder, { throwIfNoEntry: false })) {
    if (!statSync(dirname(folder), { throwIfNoEntry: false })) createFolder(dirname(folder));
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
  }
  const { uid } = statSync(folder);
  if (process.getuid && uid !== process.getuid())
    throw new Error(`${folder} belongs to uid ${uid}`);
}

/** @param {string} path */
function nearestExisting(path) {
  let folder = path;
  while (!statSync(folder, { throwIfNoEntry: false })) folder = dirname(folder);
  return folder;
}

/**
 * @param {string} folder
 * @param {Account} account
 */
function canEnter(folder, account) {
  const { error, status } = spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], {
    ...account,
    cwd: '/',
    stdio: 'ignore',
    timeout: 5_000,
  });
  if (error)
    throw new Error(`Could not become uid ${account.uid}: ${error.message}`, { cause: error });
  return status === 0;
}
