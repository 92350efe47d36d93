/** Bounds the rows that all turns of a process hold at once. */
export interface RowGate {
  /** Waits until `rows` may be held; answers what gives them back. A request above the bound waits to be alone. */
  enter(rows: number, signal: AbortSignal): Promise<() => void>;
}

export function createRowGate(rowsMax: number): RowGate {
  let held = 0;
  const waiting: { rows: number; admit: () => void }[] = [];

  function admitNext(): void {
    for (let next = waiting[0]; next && held + next.rows <= rowsMax; next = waiting[0]) {
      waiting.shift();
      held += next.rows;
      next.admit();
    }
  }

  return {
    async enter(wanted, signal) {
      const rows = Math.min(Math.max(1, wanted), rowsMax);
      await new Promise<void>((resolve, reject) => {
        const entry = {
          rows,
          admit: () => {
            signal.removeEventListener('abort', leave);
            resolve();
          },
        };
        const leave = () => {
          waiting.splice(waiting.indexOf(entry), 1);
          reject(signal.reason);
          admitNext();
        };
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        signal.addEventListener('abort', leave, { once: true });
        waiting.push(entry);
        admitNext();
      });
      let released = false;
      return () => {
        if (released) return;
        released = true;
        held -= rows;
        admitNext();
      };
    },
  };
}
