import { z } from 'zod';
import type { CallNote } from '../http/call.ts';

export const FAULT_KINDS = [
  'throttle',
  'error500',
  'hang',
  'cut',
  'malformed',
  'repeated-page',
  'expired-token',
  'failed-run',
  'empty',
  'redirect',
  'html',
  'huge',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

function isPattern(text: string): boolean {
  try {
    return new RegExp(text).source !== '';
  } catch {
    return false;
  }
}

/** A scripted fault: it skips the first `after` matching calls and then replaces the answers of `times` of them. */
export const FaultSchema = z.strictObject({
  channel: z.string().min(1),
  match: z
    .strictObject({
      path: z.string().refine(isPattern, 'not a regular expression').optional(),
      kind: z.string().optional(),
      account: z.string().optional(),
      level: z.string().optional(),
    })
    .default({}),
  fault: z.enum(FAULT_KINDS),
  times: z.int().min(1),
  after: z.int().min(0).default(0),
  /** How long a throttle asks to wait, seconds. SOCIAL_ADS tells it in whole minutes, rounded up. */
  waitSeconds: z.number().min(0).default(60),
  /** Throttle of SOCIAL_ADS: the platform's error code. */
  code: z.int().default(80004),
  /** Where a redirect leads. */
  location: z.url().default('http://169.254.169.254/latest/meta-data/'),
});
export type Fault = z.infer<typeof FaultSchema>;

export interface Faults {
  add(fault: Fault): number;
  /** All scripted faults with the number of calls they matched and of those they struck. */
  list(): (Fault & { id: number; seen: number; fired: number })[];
  clear(): void;
  /** The fault that strikes this call, counted as fired; the oldest script wins. */
  strike(channel: string, path: string, note: CallNote): Fault | undefined;
}

/** Faults that only some calls can show; on other calls they wait. */
const NEEDS_KIND: Partial<Record<FaultKind, (kind: string) => boolean>> = {
  'failed-run': (kind) => kind === 'report-create',
  'repeated-page': (kind) => ['insights', 'report-page', 'tree', 'feed'].includes(kind),
};

function matches(fault: Fault, channel: string, path: string, note: CallNote): boolean {
  const { match } = fault;
  if (fault.channel !== channel) return false;
  if (NEEDS_KIND[fault.fault]?.(note.kind) === false) return false;
  if (match.path !== undefined && !new RegExp(match.path).test(path)) return false;
  if (match.kind !== undefined && match.kind !== note.kind) return false;
  if (match.account !== undefined && match.account !== note.account) return false;
  return match.level === undefined || match.level === note.level;
}

export function createFaults(): Faults {
  let scripts: (Fault & { id: number; seen: number; fired: number })[] = [];
  let last = 0;
  return {
    add(fault) {
      last += 1;
      scripts.push({ ...fault, id: last, seen: 0, fired: 0 });
      return last;
    },
    list: () => scripts.map((script) => ({ ...script })),
    clear() {
      scripts = [];
    },
    strike(channel, path, note) {
      let struck: Fault | undefined;
      for (const script of scripts) {
        if (!matches(script, channel, path, note)) continue;
        script.seen += 1;
        if (struck !== undefined || script.seen <= script.after) continue;
        if (script.fired >= script.times) continue;
        script.fired += 1;
        struck = script;
      }
      return struck;
    },
  };
}
