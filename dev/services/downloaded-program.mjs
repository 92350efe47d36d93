// @ts-check
import { lookup } from 'node:dns/promises';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProgress, runProgram } from './run-program.mjs';

const timeoutMs = 30 * 60_000;

/** The host of each download, asked for first: an unknown one is then a matter of milliseconds, not of retries. */
const hosts = { mongod: 'fastdl.mongodb.org', 'redis-server': 'download.redis.io' };

/**
 * The program from its maker: MongoDB's own mongod, or Redis built from its source.
 * @param {'mongod' | 'redis-server'} program
 * @param {{ cache: string, log: (line: string) => void, signal?: AbortSignal | undefined }} options
 * @returns {Promise<string>} its path
 */
export async function downloadedProgram(program, { cache, log, signal }) {
  const { env } = process;
  const proxied = [env.https_proxy, env.HTTPS_PROXY, env.http_proxy, env.HTTP_PROXY].some(Boolean);
  const elsewhere = Object.keys(env).some((name) => /^(MONGOMS|REDISMS)_/.test(name));
  // Behind a proxy it is the proxy that resolves names.
  if (!proxied && !elsewhere) await lookup(hosts[program]);
  const folder = join(cache, program);
  await mkdir(folder, { recursive: true });
  const progress = createProgress(log, `Download of ${program}`);
  const output = await runProgram(
    process.execPath,
    [fileURLToPath(new URL('memory-server-binary.mjs', import.meta.url)), program, folder],
    {
      // Without the first the package would accept any certificate.
      env: { npm_config_strict_ssl: 'true', MONGOMS_MAX_RETRIES: '2' },
      timeoutMs,
      // A build from source says nothing while it compiles.
      ...(program === 'mongod' ? { silenceMs: 20_000 } : {}),
      signal,
      onLine(line) {
        const percent = /([\d.]+%)/.exec(line)?.[1];
        if (percent) progress.update(percent.replace('%', ' %'));
      },
    },
  );
  const path = /^path (.+)$/m.exec(output)?.[1];
  if (!path) throw new Error(`The download of ${program} named no program`);
  return path;
}
