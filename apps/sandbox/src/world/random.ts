/**
 * A 32-bit hash of a text (FNV-1a with a final avalanche). Everything random in the sandbox comes from it,
 * so that a figure depends on its key alone and never on the order in which figures are asked for.
 */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A number in [0, 1) that belongs to the key. */
export function fraction(key: string): number {
  return hash(key) / 2 ** 32;
}

/** A stream of numbers in [0, 1) that belongs to the key (mulberry32). */
export function createRandom(key: string): () => number {
  let state = hash(key);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number in [min, max] taken from the stream. */
export function whole(random: () => number, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}
