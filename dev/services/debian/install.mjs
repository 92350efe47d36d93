// @ts-check
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../program-cache.mjs';
import { runProgram } from '../run-program.mjs';
import { buildFerretdb, ferretdbVersion } from './ferretdb-build.mjs';

/**
 * @typedef {object} InstallContext
 * @property {string} cache
 * @property {import('../unprivileged.mjs').Account | undefined} account under which the programs will run
 * @property {() => Promise<import('./apt.mjs').Apt>} apt opened at the first call
 * @property {(line: string) => void} log
 * @property {AbortSignal | undefined} [signal]
 */

/** What stands in an installation's info.json. @typedef {{ suite: string, versions: string[] }} Info */

const postgresBin = 'usr/lib/postgresql/18/bin';

/**
 * PostgreSQL 18 with the DocumentDB extension, and FerretDB.
 * @param {InstallContext} context
 * @returns {Promise<Info & { ferretdb: string, bin: string }>} `bin` holds postgres, initdb and psql
 */
export async function installFerretdb(context) {
  const { cache, account, log, signal } = context;
  const name = `ferretdb-${ferretdbVersion}-postgresql-18-${process.arch}`;
  const folder = await cached({ cache, name, log, signal }, async (draft) => {
    const root = join(draft, 'root');
    const failed = new AbortController();
    const guard = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
    const steps = [
      unpack(
        { ...context, signal: guard },
        ['postgresql-18-documentdb'],
        draft,
        'PostgreSQL and DocumentDB',
      ),
      buildFerretdb({ folder: draft, apt: context.apt, log, signal: guard }),
    ];
    try {
      await Promise.all(steps);
    } finally {
      // The failure of one step ends the other, before the folder is removed under it.
      failed.abort();
      await Promise.allSettled(steps);
    }
    const extensions = join(root, 'usr/share/postgresql/18/extension');
    // Debian makes this copy when the package is configured.
    await copyFile(join(extensions, 'postgis-3.control'), join(extensions, 'postgis.control'));
    const { loader, library } = await findLoader(root);
    const libraries = [
      'usr/lib/postgresql/18/lib',
      library,
      `${library}/blas`,
      `${library}/lapack`,
    ];
    for (const program of ['postgres', 'initdb', 'psql'])
      await wrap(root, program, loader, libraries);
    await runProgram(join(root, postgresBin, 'postgres'), ['--version'], {
      ...account,
      timeoutMs: 30_000,
      signal,
    });
  });
  return {
    ...(await readInfo(folder)),
    ferretdb: join(folder, 'ferretdb'),
    bin: join(folder, 'root', postgresBin),
  };
}

/**
 * Redis, which is started through its own loader: `command ...args`.
 * @param {InstallContext} context
 * @returns {Promise<Info & { command: string, args: string[] }>}
 */
export async function installRedis(context) {
  const { cache, log, signal } = context;
  const folder = await cached(
    { cache, name: `redis-debian-${process.arch}`, log, signal },
    async (draft) => {
      await unpack(context, ['redis-server'], draft, 'Redis');
      const { command, args } = await redisCommand(join(draft, 'root'));
      await runProgram(command, [...args, '--version'], { timeoutMs: 30_000, signal });
    },
  );
  return { ...(await readInfo(folder)), ...(await redisCommand(join(folder, 'root'))) };
}

/**
 * @param {InstallContext} context
 * @param {readonly string[]} packages
 * @param {string} draft the entry's folder; the packages go to its folder `root`
 * @param {string} what
 */
async function unpack(context, packages, draft, what) {
  const apt = await context.apt();
  const root = join(draft, 'root');
  await mkdir(root);
  await chmod(root, 0o755);
  const versions = await apt.unpack(packages, root, what, context.signal);
  context.log(`${what}: ${versions.join(', ')} from ${apt.suite}`);
  await removeUnneeded(root);
  /** @type {Info} */
  const info = { suite: apt.suite, versions };
  await writeFile(join(draft, 'info.json'), JSON.stringify(info));
}

/** @param {string} folder */
async function readInfo(folder) {
  /** @type {Info} */
  const info = JSON.parse(await readFile(join(folder, 'info.json'), 'utf8'));
  return info;
}

/**
 * Documentation, locales and LLVM's bitcode are a third of the size and never read.
 * @param {string} root
 */
async function removeUnneeded(root) {
  for (const name of ['doc', 'doc-base', 'info', 'lintian', 'locale', 'man']) {
    await rm(join(root, 'usr/share', name), { recursive: true, force: true });
  }
  await rm(join(root, 'usr/lib/postgresql/18/lib/bitcode'), { recursive: true, force: true });
}

/**
 * The loader and the folder of the libraries, relative to `root`.
 * @param {string} root
 */
async function findLoader(root) {
  for (const folder of ['usr/lib', 'usr/lib64']) {
    const name = (await readdir(join(root, folder)).catch(() => [])).find((file) =>
      /^ld-linux.*\.so\.\d+$/.test(file),
    );
    const library = (await readdir(join(root, 'usr/lib'))).find((file) =>
      file.endsWith('-linux-gnu'),
    );
    if (name && library) return { loader: `${folder}/${name}`, library: `usr/lib/${library}` };
  }
  throw new Error(`No loader among the unpacked packages in ${root}`);
}

/** @param {string} root */
async function redisCommand(root) {
  const { loader, library } = await findLoader(root);
  const program = join(root, 'usr/bin/redis-server');
  return { command: join(root, loader), args: ['--library-path', join(root, library), program] };
}

/**
 * The host's libc may be older than these programs, which therefore start through the loader that came with them. A wrapper does
 * so, because initdb starts postgres itself. It finds everything from its own place: the folder is renamed when it is finished.
 * @param {string} root
 * @param {string} program
 * @param {string} loader
 * @param {readonly string[]} libraries
 */
async function wrap(root, program, loader, libraries) {
  const path = join(root, postgresBin, program);
  await rename(path, `${path}.bin`);
  const search = libraries.map((folder) => `$root/${folder}`).join(':');
  const lines = [
    '#!/bin/sh',
    `root=\${0%/${postgresBin}/*}`,
    `exec "$root/${loader}" --library-path "${search}" --argv0 "$0" "$0.bin" "$@"`,
    '',
  ];
  await writeFile(path, lines.join('\n'));
  await chmod(path, 0o755);
}
