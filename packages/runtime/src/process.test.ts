import { spawn } from 'node:child_process';
import { join } from 'node:path';

interface Ended {
  code: number | null;
  out: string;
  err: string;
  ms: number;
}

/** Runs a real process around `start`; each signal is sent when its line has been printed. */
async function run(start: string, signals: Record<string, NodeJS.Signals> = {}): Promise<Ended> {
  const path = join(__dirname, 'index.ts');
  const code = `
    import { runMain, EnvError } from ${JSON.stringify(path)};
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    setInterval(() => undefined, 1000);
    await runMain({ name: 'fixture', releaseWithinMs: 300, start: async ({ releasers, signal }) => {
      ${start}
    } });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    timeout: 15_000,
    killSignal: 'SIGKILL',
  });
  const ended: Ended = { code: null, out: '', err: '', ms: 0 };
  const waiting = new Map(Object.entries(signals));
  let since = 0;
  child.stderr.on('data', (data) => {
    ended.err += data;
  });
  child.stdout.on('data', (data) => {
    ended.out += data;
    for (const [line, signal] of waiting) {
      if (!ended.out.includes(line)) continue;
      waiting.delete(line);
      since = performance.now();
      child.kill(signal);
    }
  });
  ended.code = await new Promise((resolve) => child.on('close', resolve));
  ended.ms = performance.now() - since;
  return ended;
}

const RUNNING = `releasers.add('first', () => console.log('released first'));
  releasers.add('second', () => console.log('released second'));
  console.log('running');`;

describe('runMain', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'releases in reverse order and exits 0 on %s',
    async (signal) => {
      const { code, out } = await run(RUNNING, { running: signal });
      expect(code).toBe(0);
      expect(out.indexOf('released second')).toBeLessThan(out.indexOf('released first'));
      expect(out).toContain('released first');
    },
  );

  it('exits 1 at once on the second signal', async () => {
    const { code, out } = await run(
      `releasers.add('slow', async () => { console.log('releasing'); await wait(250); console.log('done'); });
       console.log('running');`,
      { running: 'SIGTERM', releasing: 'SIGTERM' },
    );
    expect(code).toBe(1);
    expect(out).not.toContain('done');
  });

  it('exits 1 when releasing takes longer than its deadline', async () => {
    const { code, out, ms } = await run(
      `releasers.add('stuck', () => new Promise(() => undefined)); console.log('running');`,
      { running: 'SIGTERM' },
    );
    expect(code).toBe(1);
    expect(out).toContain('Not released in time');
    expect(ms).toBeLessThan(3000);
  });

  it('releases what a failed start had opened, logs the masked reason and exits 1', async () => {
    const { code, out } = await run(`${RUNNING} throw new Error('password=hunter2');`);
    expect(code).toBe(1);
    expect(out).toContain('released first');
    expect(out).toContain('Could not start');
    expect(out).not.toContain('hunter2');
  });

  it('releases after a start that was interrupted by a signal, and exits 0', async () => {
    const { code, out } = await run(
      `console.log('starting');
       await new Promise((resolve) => signal.addEventListener('abort', resolve));
       releasers.add('late', () => console.log('released late'));
       throw signal.reason;`,
      { starting: 'SIGTERM' },
    );
    expect(out).toContain('released late');
    expect(code).toBe(0);
  });

  it('exits 1 when a closer fails', async () => {
    const { code, out } = await run(
      `releasers.add('bad', () => { throw new Error('no'); }); console.log('running');`,
      { running: 'SIGTERM' },
    );
    expect(code).toBe(1);
    expect(out).toContain('Could not close bad');
  });

  it('prints a bad environment for a person and exits 1', async () => {
    const { code, err } = await run(
      `throw new EnvError([{ name: 'PORT', reason: 'is required and not set' }]);`,
    );
    expect(code).toBe(1);
    expect(err).toContain(
      'fixture: The environment is not usable:\n  PORT: is required and not set',
    );
  });

  it.each([
    [
      'an unhandled rejection',
      `setTimeout(() => { Promise.reject(new Error('token=hunter2')); }, 10);`,
    ],
    ['an uncaught exception', `setTimeout(() => { throw new Error('token=hunter2'); }, 10);`],
  ])('logs %s without secrets and exits 1', async (name, start) => {
    const { code, out } = await run(start);
    expect(code).toBe(1);
    expect(out.toLowerCase()).toContain(name.replace(/^an /, ''));
    expect(out).not.toContain('hunter2');
  });
});
