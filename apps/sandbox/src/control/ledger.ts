import type { Call, CallNote } from '../http/call.ts';

/** One call that a channel received, numbered from 1 in the order of arrival. */
export interface LedgerEntry extends Omit<CallNote, 'form'> {
  n: number;
  /** The sandbox clock, epoch milliseconds. */
  at: number;
  channel: string;
  method: string;
  path: string;
  /** The query, and the fields of a form or JSON body, with secrets masked. */
  query: Record<string, string>;
  status: number;
  /** The scripted fault that replaced the answer. */
  fault?: string;
}

export interface Ledger {
  record(entry: Omit<LedgerEntry, 'n'>): void;
  /** Entries with a number above `since`. */
  read(since: number, channel?: string): LedgerEntry[];
  clear(): void;
}

const ENTRIES_MAX = 100_000;
const SECRET = /token|secret|proof|^code$/i;

/** Query and given parameters of a call in one object, secrets as "***". */
export function maskedQuery(
  call: Call,
  params: Iterable<[string, string]> = [],
): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of [...call.query, ...params]) {
    masked[name] = SECRET.test(name) ? '***' : value.replace(/(access_token=)[^&"\s]+/g, '$1***');
  }
  return masked;
}

/** Keeps the newest 100,000 calls; numbers go on after a clear. */
export function createLedger(): Ledger {
  let entries: LedgerEntry[] = [];
  let last = 0;
  return {
    record(entry) {
      last += 1;
      entries.push({ n: last, ...entry });
      // Cutting in slices keeps the cost of one call constant.
      if (entries.length >= ENTRIES_MAX * 1.1) entries = entries.slice(-ENTRIES_MAX);
    },
    read: (since, channel) =>
      entries
        .slice(-ENTRIES_MAX)
        .filter((entry) => entry.n > since && (channel === undefined || entry.channel === channel)),
    clear() {
      entries = [];
    },
  };
}
