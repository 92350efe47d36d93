import { RetryableError } from '@tributary/runtime';

/** Notices a key that comes twice among millions without holding the keys. */
export interface SeenKeys {
  /** @throws RetryableError `duplicate_row` */
  add(key: string): void;
}

/**
 * Keeps 53 bits of each key. Two different keys of a million are taken for one once in twenty thousand files; the hash
 * begins elsewhere each time, so the next reading is free of it.
 */
export function createSeenKeys(): SeenKeys {
  const seen = new Set<number>();
  const start = Math.floor(Math.random() * 2 ** 32);
  return {
    add(key) {
      const hash = hash53(key, start);
      if (seen.has(hash)) {
        const text = `The row '${key.replaceAll('\t', ' ')}' came twice: nothing of it is used`;
        throw new RetryableError('duplicate_row', text);
      }
      seen.add(hash);
    },
  };
}

/** Two multiplicative hashes of 32 bits that mix at the end. */
function hash53(text: string, start: number): number {
  let high = 0xdeadbeef ^ start;
  let low = 0x41c6ce57 ^ start;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 2 ** 21 * (high >>> 0) + (low >>> 11);
}
