import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 50;

/** Gives the event loop back now and then during long synchronous work. */
export interface Pacer {
  pause(): Promise<void>;
}

export function createPacer(): Pacer {
  let since = performance.now();
  return {
    async pause() {
      if (performance.now() - since < SLICE_MS) return;
      await nextTurn();
      since = performance.now();
    },
  };
}
