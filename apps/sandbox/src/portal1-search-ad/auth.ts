import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Call } from '../http/call.ts';
import type { AdsAccount } from '../world/ads-tree.ts';
import { noPermission, problem, tooManyRequests } from './api-error.ts';
import type { SearchAdWorld } from './world.ts';

export const API_KEY = 'sandbox-search-ad-key';
export const SECRET_KEY = 'sandbox-search-ad-secret';
/** A timestamp further away than this is refused; a server that was a minute off was. */
const SKEW_MS = 60_000;

/** The account whose data a call wants; throws unless the call is signed, fresh and allowed. */
export function authenticate(call: Call, world: SearchAdWorld, now: number): AdsAccount {
  const { headers, method, path } = call;
  const apikey = headers['x-api-key'] ?? '';
  const timestamp = headers['x-timestamp'] ?? '';
  const signature = headers['x-signature'] ?? '';
  const customer = headers['x-customer'] ?? '';
  if (!/^\d{13}$/.test(timestamp) || Math.abs(Number(timestamp) - now) > SKEW_MS) {
    throw problem('invalid-timestamp', 'Invalid Timestamp', {
      timestamp,
      detail: 'Request has expired.',
    });
  }
  if (apikey !== API_KEY) {
    throw problem('invalid-apikey', 'Invalid API-KEY', {
      apikey,
      detail: `API-KEY '${apikey}' is invalid.`,
    });
  }
  // The signature covers the path alone; the query is not part of it.
  const expected = createHmac('sha256', SECRET_KEY)
    .update(`${timestamp}.${method}.${path}`)
    .digest('base64');
  const [given, wanted] = [Buffer.from(signature), Buffer.from(expected)];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw badSignature(signature);
  const account = world.accounts.find(({ id }) => id === customer);
  if (account !== undefined) return account;
  if (world.foreign.id === customer) throw noPermission();
  throw problem('auth-failed', 'Auth Failed', {
    detail: `Auth failed with api-key: ${apikey}, customer-id: ${customer}`,
  });
}

export function badSignature(signature: string) {
  return problem('invalid-signature', 'Invalid Signature', {
    signature,
    detail: `Signature '${signature}' is invalid.`,
  });
}

/** Calls that one customer may make within any second of the clock. */
export interface CallLimiter {
  /** Throws the platform's throttle above the limit; a refused call does not count. */
  count(customer: string, family: 'reports' | 'general'): void;
}

const PER_SECOND = { reports: 10, general: 20 } as const;

export function createLimiter(now: () => number, isUnlimited: boolean): CallLimiter {
  const recent = new Map<string, number[]>();
  return {
    count(customer, family) {
      if (isUnlimited) return;
      const key = `${customer}/${family}`;
      const at = now();
      const calls = (recent.get(key) ?? []).filter((time) => time > at - 1_000);
      recent.set(key, calls);
      if (calls.length >= PER_SECOND[family]) throw tooManyRequests();
      calls.push(at);
    },
  };
}
