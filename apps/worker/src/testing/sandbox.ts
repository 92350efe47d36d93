import { type Program, startProgram } from './processes.ts';

/** A call that the simulated platforms received, as the sandbox's README describes it. */
export interface Call {
  n: number;
  at: number;
  channel: string;
  method: string;
  path: string;
  query: Record<string, string>;
  status: number;
  account: string | null;
  kind: string;
  level: string | null;
  breakdowns: string[];
  since: string | null;
  until: string | null;
  fault?: string;
}

export interface Fault {
  channel: string;
  fault: string;
  times: number;
  match?: Record<string, string>;
  after?: number;
  waitSeconds?: number;
}

export interface Sandbox {
  url: string;
  program: Program;
  now(): Promise<number>;
  advance(ms: number): Promise<void>;
  /** The calls after number `since`. */
  calls(since?: number): Promise<Call[]>;
  addFault(fault: Fault): Promise<void>;
  faults(): Promise<(Fault & { seen: number; fired: number })[]>;
}

/** The platforms as a process of their own, on a free port, with a clock that begins at `now`. */
export async function startSandbox(
  now: string,
  env: Record<string, string> = {},
): Promise<Sandbox> {
  const program = startProgram('sandbox', { SANDBOX_PORT: '0', SANDBOX_NOW: now, ...env });
  const [, url = ''] = await program.line(/listening on (http:\S+)/);
  const ask = async <T>(path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${url}/__sandbox/${path}`, {
      signal: AbortSignal.timeout(10_000),
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T; // the sandbox's README tells the shapes
  };
  return {
    url,
    program,
    now: async () => (await ask<{ now: number }>('clock')).now,
    async advance(advanceMs) {
      await ask('clock', { advanceMs });
    },
    calls: async (since = 0) => (await ask<{ calls: Call[] }>(`ledger?since=${since}`)).calls,
    async addFault(fault) {
      await ask('faults', fault);
    },
    faults: async () =>
      (await ask<{ faults: (Fault & { seen: number; fired: number })[] }>('faults')).faults,
  };
}
