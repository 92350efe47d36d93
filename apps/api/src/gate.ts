/** Does some work when its turn has come. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Lets so much work be under way at once; the rest waits, first come, first served. */
export function createGate(atOnceMax: number): Gate {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (underWay < atOnceMax) underWay += 1;
    else await new Promise<void>((admit) => waiting.push(admit));
    try {
      return await work();
    } finally {
      const admitNext = waiting.shift();
      if (admitNext) admitNext();
      else underWay -= 1;
    }
  };
}
