// @ts-check
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { settleLeftovers } from './keeper-client.mjs';
import { identify, isRunning, waitForEnd } from './process-identity.mjs';

/** @type {string} */
let folder;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-keeper-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A process that opens a keeper, starts one program with it and waits. */
async function openStarter() {
  const client = join(__dirname, 'keeper-client.mjs');
  const source = `
    const { openKeeper } = await import(${JSON.stringify(client)});
    const folder = ${JSON.stringify(folder)};
    const keeper = await openKeeper(folder, folder + '/keeper.log');
    const pid = await keeper.start({ name: 'sleeper', command: 'sleep', args: ['60'], cwd: '/', logFile: folder + '/sleeper.log',
      stopSignal: 'SIGTERM', stopTimeoutMs: 5000 });
    console.log(JSON.stringify({ keeper: keeper.pid, sleeper: pid }));
    process.on('SIGTERM', async () => { await keeper.close(); process.exit(0); });`;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: starter.stdout });
  /** @type {string} */
  const line = await new Promise((resolve) => lines.once('line', resolve));
  const { keeper, sleeper } = JSON.parse(line);
  return { starter, keeper: await identify(keeper), sleeper: await identify(sleeper) };
}

test('a starter that is killed leaves no program behind', async () => {
  const { starter, keeper, sleeper } = await openStarter();
  expect(await isRunning(sleeper)).toBe(true);
  starter.kill('SIGKILL');
  expect(await waitForEnd(sleeper, 5_000)).toBe(true);
  expect(await waitForEnd(keeper, 5_000)).toBe(true);
  expect(await readdir(folder)).not.toContain('processes.json');
});

test('closing ends the programs first, then the keeper', async () => {
  const { starter, keeper, sleeper } = await openStarter();
  starter.kill('SIGTERM');
  expect(await waitForEnd(keeper, 5_000)).toBe(true);
  expect(await isRunning(sleeper)).toBe(false);
});

test('when the keeper is killed too, the next start ends what it had started', async () => {
  const { starter, keeper, sleeper } = await openStarter();
  process.kill(keeper.pid, 'SIGKILL');
  starter.kill('SIGKILL');
  await waitForEnd(keeper, 5_000);
  expect(await isRunning(sleeper)).toBe(true);
  /** @type {string[]} */
  const log = [];
  await settleLeftovers(folder, (line) => log.push(line));
  expect(await isRunning(sleeper)).toBe(false);
  expect(log).toEqual([`Ending sleeper (process ${sleeper.pid}), left behind by a killed run`]);
});
