/** Where time comes from: injected, so that tests and the sandbox's moving clock need no fake timers. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
