/** Closers in the order of their opening; released last in, first out. */
export interface Releasers {
  add(name: string, release: () => unknown): void;
  /** Runs every closer once, whatever the others do, and throws the first error at the end. */
  releaseAll(): Promise<void>;
}

/** Every opener registers its closer here, so that a half-finished start releases what it opened. */
export function createReleasers(): Releasers {
  const closers: { name: string; release: () => unknown }[] = [];
  return {
    add(name, release) {
      closers.push({ name, release });
    },
    async releaseAll() {
      const errors: Error[] = [];
      for (let closer = closers.pop(); closer; closer = closers.pop()) {
        try {
          await closer.release();
        } catch (cause) {
          errors.push(new Error(`Could not close ${closer.name}`, { cause }));
        }
      }
      if (errors[0]) throw errors[0];
    },
  };
}
