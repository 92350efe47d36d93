export interface Lru<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
}

/** Keeps what was used last, up to a total weight (by default a number of values). */
export function createLru<Value>(
  weightMax: number,
  weightOf: (value: Value) => number = () => 1,
): Lru<Value> {
  // A Map keeps the order of insertion: what is used is inserted anew, so the first entry is the oldest.
  const entries = new Map<string, Value>();
  let weight = 0;
  const drop = (key: string) => {
    const value = entries.get(key);
    if (value === undefined) return;
    entries.delete(key);
    weight -= weightOf(value);
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      drop(key);
      entries.set(key, value);
      weight += weightOf(value);
      for (const oldest of entries.keys()) {
        if (weight <= weightMax) break;
        drop(oldest);
      }
    },
  };
}
