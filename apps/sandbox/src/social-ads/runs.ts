import type { InsightQuery } from './insight-query.ts';

/** An asynchronous report: its question, and the moment whose figures it holds. */
export interface Run {
  id: string;
  query: InsightQuery;
  /** Sandbox clock at its creation; its rows are what was reported then. */
  at: number;
  /** Real time of its creation: it moves on with polls or by itself, also while the sandbox clock is frozen. */
  bornMs: number;
  polls: number;
  failed: boolean;
  /** Its first poll does not find it. */
  isShy: boolean;
}

export interface RunState {
  status: string;
  percent: number;
}

export interface Runs {
  create(query: InsightQuery, at: number): Run;
  /** undefined for unknown ids and for runs older than 30 days. */
  find(id: string, now: number): Run | undefined;
  /** Counts a poll and tells the state; 'invisible' for the first poll of every fourth run. */
  poll(run: Run): RunState | 'invisible';
  isDone(run: Run): boolean;
}

const KEPT_MS = 30 * 86_400_000;
const RUNS_MAX = 5_000;
const STEP_MS = 1_500;
/** How long a new run may stay unseen. */
const UNSEEN_MS = 5_000;
/** Percent is 100 before the run is done: only both together mean that it is. */
const STEPS: RunState[] = [
  { status: 'Job Not Started', percent: 0 },
  { status: 'Job Running', percent: 47 },
  { status: 'Job Running', percent: 100 },
  { status: 'Job Completed', percent: 100 },
];

/** Keeps runs in memory, the newest 5,000; ids go on from the clock, so that no restart repeats one. */
export function createRuns(realNow: () => number = Date.now): Runs {
  const runs = new Map<string, Run>();
  const start = realNow();
  let last = start;
  const stepOf = (run: Run): number =>
    Math.min(
      STEPS.length - 1,
      Math.max(run.polls - 1, Math.floor((realNow() - run.bornMs) / STEP_MS)),
    );
  return {
    create(query, at) {
      last += 1;
      // Every fourth run, the second one first.
      const isShy = (last - start) % 4 === 2;
      const run = { isShy, id: `9${last}`, query, at, bornMs: realNow(), polls: 0, failed: false };
      runs.set(run.id, run);
      const [oldest] = runs.keys();
      if (runs.size > RUNS_MAX && oldest !== undefined) runs.delete(oldest);
      return run;
    },
    find(id, now) {
      const run = runs.get(id);
      return run === undefined || now - run.at > KEPT_MS ? undefined : run;
    },
    poll(run) {
      const isUnseen = run.isShy && run.polls === 0 && realNow() - run.bornMs < UNSEEN_MS;
      run.polls += 1;
      if (isUnseen) return 'invisible';
      const state = STEPS[stepOf(run)] ?? { status: 'Job Completed', percent: 100 };
      if (run.failed && state.status !== 'Job Not Started')
        return { status: 'Job Failed', percent: 0 };
      return state;
    },
    isDone: (run) => !run.failed && stepOf(run) === STEPS.length - 1,
  };
}
