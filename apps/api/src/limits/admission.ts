import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticate, Caller } from '../http/mount.ts';
import { ProblemError } from '../http/problem.ts';
import { type Allowance, rateLimited, rateLimitHeaders } from './allowance.ts';
import type { ClientAddress } from './client-address.ts';
import type { FailureLimit } from './failure-limit.ts';
import type { KeyLimit } from './key-limit.ts';

/** A caller, and which of its keys it came with. */
export interface KeyHolder extends Caller {
  keyId: string;
}

interface AdmissionOptions {
  /** @throws ProblemError `unauthenticated` */
  checkKey: (headers: IncomingHttpHeaders) => Promise<KeyHolder>;
  addressOf: ClientAddress;
  /** Absent: no limit. */
  keyLimit?: KeyLimit | undefined;
  failureLimit?: FailureLimit | undefined;
  /** Told of every request that is refused for being one too many, for metrics. */
  onLimited: (policy: Allowance['policy']) => void;
}

/** Lets a request in: its key is good and has requests left. A bad key counts against the address it comes from. */
export function createAdmission(options: AdmissionOptions): Authenticate {
  const { checkKey, addressOf, keyLimit, failureLimit, onLimited } = options;
  const refuse = (allowance: Allowance): ProblemError => {
    onLimited(allowance.policy);
    return rateLimited(allowance);
  };
  return async (req, res) => {
    const holder = await checkKey(req.headers).catch((error: unknown) => {
      const isRefusal = error instanceof ProblemError && error.problem === 'unauthenticated';
      const allowance = isRefusal ? failureLimit?.(addressOf(req)) : undefined;
      throw allowance?.isAllowed === false ? refuse(allowance) : error;
    });
    const allowance = await keyLimit?.take(holder.keyId);
    if (!allowance) return holder;
    if (!allowance.isAllowed) throw refuse(allowance);
    for (const [name, value] of Object.entries(rateLimitHeaders(allowance))) {
      res.setHeader(name, value);
    }
    return holder;
  };
}
