// @ts-check
import { execFileSync } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgress, runProgram } from '../run-program.mjs';

export const ferretdbVersion = '2.7.0';

const buildTimeoutMs = 20 * 60_000;
// Of one module the compiler may be silent for long on a busy machine.
const silenceMs = 5 * 60_000;
// How many packages `go install -v` names for this version, the standard library included when it is not in the cache of Go.
const packagesAbout = 550;

/**
 * Whether the `go` on PATH can build FerretDB.
 * @returns {boolean}
 */
export function hasGo() {
  try {
    return isGoNewEnough(
      execFileSync('go', ['env', 'GOVERSION'], {
        encoding: 'utf8',
        timeout: 10_000,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
  } catch {
    return false;
  }
}

/**
 * @param {string} version such as go1.25.4
 * @returns {boolean} true from Go 1.25 on
 */
export function isGoNewEnough(version) {
  const [, major = '0', minor = '0'] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 25);
}

/**
 * Builds `<folder>/ferretdb` with the go on PATH, or with Debian's in a temporary folder.
 * @param {{ folder: string, apt: () => Promise<import('./apt.mjs').Apt>, log: (line: string) => void, signal?: AbortSignal | undefined }} options
 */
export async function buildFerretdb({ folder, apt, log, signal }) {
  if (hasGo()) return install('go', folder, {}, { log, signal });
  const temporary = await mkdtemp(join(tmpdir(), 'tributary-go-'));
  try {
    const root = join(temporary, 'root');
    await (await apt()).unpack(['golang-go'], root, 'Go', signal);
    const goroot = await realpath(join(root, 'usr', 'lib', 'go'));
    const env = {
      GOROOT: goroot,
      GOTOOLCHAIN: 'local',
      GOPATH: join(temporary, 'path'),
      GOCACHE: join(temporary, 'cache'),
      GOFLAGS: '-buildvcs=false -modcacherw',
    };
    await install(join(goroot, 'bin', 'go'), folder, env, { log, signal });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * @param {string} go
 * @param {string} folder
 * @param {Record<string, string>} env
 * @param {import('./apt.mjs').Context} context
 */
async function install(go, folder, env, { log, signal }) {
  const progress = createProgress(log, `FerretDB ${ferretdbVersion}: go build`);
  let modules = 0;
  let packages = 0;
  await runProgram(
    go,
    ['install', '-v', `github.com/FerretDB/FerretDB/v2/cmd/ferretdb@v${ferretdbVersion}`],
    {
      env: { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false', ...env, GOBIN: folder },
      timeoutMs: buildTimeoutMs,
      silenceMs,
      signal,
      onLine(line) {
        if (line.startsWith('go: downloading')) modules += 1;
        else packages += 1;
        progress.update(
          packages === 0 ? `${modules} modules` : `${packages} of about ${packagesAbout} packages`,
        );
      },
    },
  );
  progress.done(`${packages} packages`);
}
