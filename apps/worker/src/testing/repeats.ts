import type { Call } from './sandbox.ts';

/** A call that was answered well and made again. */
export interface Repeat {
  first: Call;
  again: Call;
}

/** Calls that were made again though their like had been answered; polls of a report are made to be repeated. */
export function repeatsOf(calls: readonly Call[]): Repeat[] {
  const answered = new Map<string, Call>();
  const repeats: Repeat[] = [];
  for (const call of calls) {
    if (call.status !== 200 || call.fault !== undefined || call.kind === 'report-poll') continue;
    const query = Object.entries(call.query).sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify([call.channel, call.method, call.path, query]);
    const first = answered.get(key);
    if (first) repeats.push({ first, again: call });
    answered.set(key, call);
  }
  return repeats;
}
