export interface TurnSignals {
  /** A signal that aborts when the process stops or the lock is lost; to be released when the turn is over. */
  begin(lockLost: AbortSignal | undefined): { signal: AbortSignal; release(): void };
  /** Aborts every running turn, and those that begin after it. */
  stop(reason: Error): void;
}

/**
 * The signals of the turns under way. They are kept in a set, as a listener of each turn on one signal would be taken for
 * a leak from the eleventh on.
 */
export function createTurnSignals(): TurnSignals {
  const running = new Set<AbortController>();
  let stopped: Error | undefined;
  return {
    begin(lockLost) {
      const controller = new AbortController();
      const lose = () => controller.abort(new Error("The turn's lock is lost"));
      lockLost?.addEventListener('abort', lose);
      running.add(controller);
      if (stopped) controller.abort(stopped);
      return {
        signal: controller.signal,
        release() {
          running.delete(controller);
          lockLost?.removeEventListener('abort', lose);
        },
      };
    },
    stop(reason) {
      stopped = reason;
      for (const controller of running) controller.abort(reason);
    },
  };
}
