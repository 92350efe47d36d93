// @ts-check
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf } from '../ping.mjs';
import { createProgress, runProgram } from '../run-program.mjs';
import { findMirror, readAptSources } from './apt-sources.mjs';

/**
 * Debian's packages in a folder of our own: nothing is installed into the system, no root is needed.
 * @typedef {object} Apt
 * @property {string} suite
 * @property {(packages: readonly string[], root: string, what: string, signal?: AbortSignal) => Promise<string[]>} unpack downloads the packages with all they
 *   depend on into `root`; resolves to `name version` of the packages asked for
 * @property {() => Promise<void>} close
 */

/** @typedef {{ log: (line: string) => void, signal?: AbortSignal | undefined }} Context */

const commandTimeoutMs = 15 * 60_000;
const silenceMs = 60_000;

/** Where the programs that we need are packaged: PostgreSQL 18 with DocumentDB, and Go 1.25. */
const suitesOf = {
  debian: ['forky', 'sid'],
  // Debian's packages come to Ubuntu with 26.04; redis-server alone is in every release.
  ubuntu: ['resolute'],
};

/**
 * Opens the newest suite of the machine's own mirror that can be read.
 * Throws when this is no Debian or Ubuntu, no mirror is known, or none of the suites is there.
 * @param {Context} context
 * @returns {Promise<Apt>}
 */
export async function openApt({ log, signal }) {
  const release = parseEnv(await readFile('/etc/os-release', 'utf8').catch(() => ''));
  const family = [release.ID, ...(release.ID_LIKE ?? '').split(' ')];
  const distribution = family.includes('ubuntu') ? 'ubuntu' : 'debian';
  if (!family.includes(distribution)) throw new Error('This is neither Debian nor Ubuntu');
  const mirror = findMirror(await readAptSources(), release.VERSION_CODENAME);
  if (!mirror) throw new Error(`The apt sources name no mirror of ${distribution}`);
  const suites = [
    ...suitesOf[distribution],
    ...(distribution === 'ubuntu' ? [release.VERSION_CODENAME] : []),
  ];

  const failures = [];
  for (const suite of suites.filter((name) => name !== undefined)) {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-apt-'));
    try {
      const options = await prepareState(folder, mirror, suite);
      await aptGet(
        [...options, 'update'],
        createProgress(log, `Package lists of ${suite}`),
        signal,
      );
      return { suite, ...createUnpacker(folder, options, log) };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      signal?.throwIfAborted();
      failures.push(`suite ${suite}: ${messageOf(error)}`);
    }
  }
  throw new Error(failures.join('; '));
}

/**
 * @param {string} folder
 * @param {import('./apt-sources.mjs').AptSource} mirror
 * @param {string} suite
 * @returns {Promise<string[]>} the options that keep apt-get within the folder
 */
async function prepareState(folder, mirror, suite) {
  await mkdir(join(folder, 'lists', 'partial'), { recursive: true });
  // Nothing counts as installed, so the whole closure is resolved, libc included.
  await writeFile(join(folder, 'status'), '');
  const keyring = [
    mirror.signedBy,
    '/usr/share/keyrings/debian-archive-keyring.pgp',
    '/usr/share/keyrings/debian-archive-keyring.gpg',
  ].find((path) => path !== undefined && existsSync(path));
  const marks = [keyring ? `signed-by=${keyring}` : '', mirror.trusted ? 'trusted=yes' : ''].filter(
    Boolean,
  );
  const components = mirror.components.includes('universe') ? 'main universe' : 'main';
  await writeFile(
    join(folder, 'sources.list'),
    `deb ${marks.length > 0 ? `[${marks.join(' ')}] ` : ''}${mirror.uri} ${suite} ${components}\n`,
  );
  const settings = {
    'Dir::Etc::sourcelist': join(folder, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State': folder,
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::State::status': join(folder, 'status'),
    // Without its cache files apt-get can run twice at the same time.
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'APT::Sandbox::User': '',
    'APT::Install-Recommends': 'false',
    'APT::Update::Post-Invoke': '/bin/true',
    'APT::Update::Error-Mode': 'any',
    'APT::Status-Fd': '3',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Debug::NoLocking': 'true',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

/**
 * @param {string} folder
 * @param {readonly string[]} options
 * @param {(line: string) => void} log
 */
function createUnpacker(folder, options, log) {
  return {
    /** @type {Apt['unpack']} */
    async unpack(packages, root, what, signal) {
      const cache = await mkdtemp(join(folder, 'cache-'));
      const archives = join(cache, 'archives');
      await mkdir(join(archives, 'partial'), { recursive: true });
      const command = [
        '-o',
        `Dir::Cache=${cache}`,
        '-y',
        '--download-only',
        'install',
        ...packages,
      ];
      await aptGet([...options, ...command], createProgress(log, `${what}: download`), signal);
      const files = (await readdir(archives)).filter((name) => name.endsWith('.deb'));
      const progress = createProgress(log, `${what}: unpacking`);
      for (const [index, file] of files.entries()) {
        await runProgram('dpkg-deb', ['-x', join(archives, file), root], {
          timeoutMs: commandTimeoutMs,
          signal,
        });
        progress.update(`${index + 1} of ${files.length} packages`);
      }
      progress.done(`${files.length} packages`);
      await rm(cache, { recursive: true, force: true });
      return packages.map((name) => `${name} ${versionOf(files, name)}`);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * @param {readonly string[]} files such as redis-server_5%3a8.0.2-1_amd64.deb
 * @param {string} name
 */
function versionOf(files, name) {
  const version = files.find((file) => file.startsWith(`${name}_`))?.split('_')[1];
  return version === undefined ? '(unknown version)' : decodeURIComponent(version);
}

/**
 * @param {readonly string[]} args
 * @param {ReturnType<typeof createProgress>} progress
 * @param {AbortSignal | undefined} signal
 */
async function aptGet(args, progress, signal) {
  await runProgram('apt-get', ['-q', ...args], {
    env: { LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    timeoutMs: commandTimeoutMs,
    silenceMs,
    signal,
    onLine(line) {
      // dlstatus:<item>:<percent>:<text> comes from descriptor 3.
      const percent = /^dlstatus:\d+:([\d.]+):/.exec(line)?.[1];
      if (percent !== undefined) progress.update(`${Math.round(Number(percent))} %`);
    },
  });
  progress.done('done');
}
