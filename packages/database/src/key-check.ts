import { type Clock, createLru } from '@tributary/runtime';
import { type ApiKey, checkApiKey, findApiKey, isApiKeyValid } from './api-keys.ts';
import type { Database } from './database.ts';

/** A revoked key is refused at most this long after, so the answer about one is kept for less than five seconds. */
const KEPT_MS = 4_000;
const KEYS_MAX = 10_000;

interface Lookup {
  /** Started at, on the clock that never jumps. */
  at: number;
  key: Promise<ApiKey | undefined>;
}

/** The stored key that a text is; undefined for no text, and for a key that is made up, unknown, revoked or expired. */
export type KeyCheck = (text: string | undefined) => Promise<ApiKey | undefined>;

/** Checks keys against the database, many requests with one key asking once. */
export function createKeyCheck({
  db,
  clock,
  monotonic = () => performance.now(),
}: {
  db: Database;
  clock: Clock;
  monotonic?: () => number;
}): KeyCheck {
  const lookups = createLru<Lookup>(KEYS_MAX);

  function lookUp(id: string): Promise<ApiKey | undefined> {
    const at = monotonic();
    const known = lookups.get(id);
    if (known && at - known.at < KEPT_MS) return known.key;
    const lookup = { at, key: findApiKey(db, id) };
    lookups.set(id, lookup);
    // A failed question is no answer: the next request asks again.
    lookup.key.catch(() => lookups.set(id, { ...lookup, at: -Infinity }));
    return lookup.key;
  }

  return async (text) => {
    const sent = checkApiKey(text ?? '');
    const key = sent && (await lookUp(sent.id));
    return sent && key && isApiKeyValid(key, sent.digest, clock.now()) ? key : undefined;
  };
}
