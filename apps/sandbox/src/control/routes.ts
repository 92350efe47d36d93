import { z } from 'zod';
import { type Call, json, type Reply } from '../http/call.ts';
import type { TruthTeller } from '../truth/truth-teller.ts';
import type { Clock } from './clock.ts';
import { FaultSchema, type Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { ControlError, parse } from './parse.ts';

export interface ControlDeps {
  clock: Clock;
  ledger: Ledger;
  faults: Faults;
  /** By channel identifier. */
  tellers: Readonly<Record<string, TruthTeller>>;
}

const ClockSchema = z.strictObject({
  now: z.int().min(0).optional(),
  advanceMs: z.int().min(0).optional(),
  frozen: z.boolean().optional(),
});
const LedgerQuerySchema = z.strictObject({
  since: z.coerce.number().int().min(0).default(0),
  channel: z.string().optional(),
});

function bodyOf(call: Call): unknown {
  try {
    return JSON.parse(call.body || '{}');
  } catch {
    throw new ControlError(400, 'The body is not JSON');
  }
}

/** `/__sandbox/…`: clock, ledger, truth, tree and faults. Control calls are not in the ledger. */
export function createControl(deps: ControlDeps): (call: Call) => Reply {
  const { clock, ledger, faults, tellers } = deps;
  const clockReply = (): Reply => json(200, { now: clock.now(), frozen: clock.isFrozen() });
  const tellerOf = (channel: string | undefined): TruthTeller => {
    const teller = tellers[channel ?? ''];
    if (teller !== undefined) return teller;
    throw new ControlError(
      400,
      `channel: '${channel}', expected ${Object.keys(tellers).join(', ')}`,
    );
  };

  const routes: Record<string, (call: Call) => Reply> = {
    'GET /health': () => json(200, { status: 'ok' }),
    'GET /clock': clockReply,
    'POST /clock': (call) => {
      clock.set(parse(ClockSchema, bodyOf(call)));
      return clockReply();
    },
    'GET /ledger': (call) => {
      const { since, channel } = parse(LedgerQuerySchema, Object.fromEntries(call.query));
      return json(200, { calls: ledger.read(since, channel) });
    },
    'DELETE /ledger': () => {
      ledger.clear();
      return json(200, { calls: [] });
    },
    'GET /truth': (call) => {
      const query = Object.fromEntries(call.query);
      return json(200, { days: tellerOf(query.channel).truth(query, clock.now()) });
    },
    'GET /tree': (call) => {
      const { channel, ...others } = Object.fromEntries(call.query);
      parse(z.strictObject({}), others);
      const { tree } = tellerOf(channel);
      if (tree === undefined) throw new ControlError(404, `${channel} has no tree`);
      return json(200, { accounts: tree(clock.now()) });
    },
    'GET /faults': () => json(200, { faults: faults.list() }),
    'POST /faults': (call) => json(201, { id: faults.add(parse(FaultSchema, bodyOf(call))) }),
    'DELETE /faults': () => {
      faults.clear();
      return json(200, { faults: [] });
    },
  };

  return (call) => {
    try {
      const route = routes[`${call.method} ${call.path}`];
      if (route === undefined)
        throw new ControlError(404, `No control at ${call.method} ${call.path}`);
      return route(call);
    } catch (error) {
      if (error instanceof ControlError) return json(error.status, { error: error.message });
      if (error instanceof RangeError) return json(400, { error: error.message });
      throw error;
    }
  };
}
