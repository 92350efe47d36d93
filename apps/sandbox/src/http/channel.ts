import type { Clock } from '../control/clock.ts';
import type { Fault, Faults } from '../control/faults.ts';
import { type Ledger, maskedQuery } from '../control/ledger.ts';
import { type Call, type CallNote, emptyNote, type Reply } from './call.ts';

/** What every channel is built from. */
export interface ChannelDeps {
  seed: string;
  clock: Clock;
  ledger: Ledger;
  faults: Faults;
}

export interface Channel {
  /** The channel identifier of the interface, for example "SOCIAL_ADS". */
  name: string;
  handle(call: Call, note: CallNote): Reply;
  /** The platform's own form of the faults that have one; undefined for the rest. */
  distort(fault: Fault, reply: Reply, call: Call): Reply | undefined;
}

/** The faults that look alike on every platform. */
function distortWire(fault: Fault, reply: Reply): Reply {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  switch (fault.fault) {
    case 'hang':
    case 'cut':
    case 'huge':
      return { ...reply, transport: fault.fault };
    case 'malformed':
      return {
        ...reply,
        status: 200,
        body: reply.body.slice(0, -Math.ceil(reply.body.length / 3)),
      };
    case 'html':
      return {
        status: 200,
        headers: html,
        body: '<!doctype html><title>Be right back</title><h1>Sorry</h1>',
      };
    case 'redirect':
      return { status: 302, headers: { location: fault.location }, body: '' };
    default:
      throw new Error(`No channel answers the fault ${fault.fault}`);
  }
}

/** Answers a call of a channel, lets a scripted fault strike, and writes the ledger. */
export function answerCall(channel: Channel, deps: ChannelDeps, call: Call): Reply {
  const note = emptyNote();
  const plain = channel.handle(call, note);
  const { form, ...told } = note;
  const struck = deps.faults.strike(channel.name, call.path, note);
  const reply =
    struck === undefined
      ? plain
      : (channel.distort(struck, plain, call) ?? distortWire(struck, plain));
  deps.ledger.record({
    at: deps.clock.now(),
    channel: channel.name,
    method: call.method,
    path: call.path,
    query: maskedQuery(call, form),
    status: reply.status,
    ...told,
    ...(struck === undefined ? {} : { fault: struck.fault }),
  });
  return reply;
}
