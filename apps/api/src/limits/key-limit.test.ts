import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { createKeyLimit, type KeyLimit } from './key-limit.ts';

type Exchange = Parameters<typeof createKeyLimit>[0]['exchange'];

const open: KeyLimit[] = [];
afterEach(async () => {
  for (const limit of open.splice(0)) await limit.close();
});

/** What the processes tell each other, each after its own pause. */
function createBoard() {
  const counts = new Map<string, Map<number, number>>();
  let processes = 0;
  let exchanges = 0;
  return {
    exchanges: () => exchanges,
    join(pauseMs = 0): Exchange {
      processes += 1;
      const process = processes;
      return async ({ windowStart, counts: own }) => {
        exchanges += 1;
        if (pauseMs > 0) await sleep(pauseMs);
        const others = new Map<string, number>();
        for (const [key, count] of own) {
          const all = counts.get(`${key} ${windowStart}`) ?? new Map<number, number>();
          counts.set(`${key} ${windowStart}`, all);
          all.set(process, Math.max(count, all.get(process) ?? 0));
          const sum = [...all].reduce(
            (total, [of, one]) => (of === process ? total : total + one),
            0,
          );
          others.set(key, sum);
        }
        return others;
      };
    },
  };
}

function openLimit(
  options: Partial<Parameters<typeof createKeyLimit>[0]> & { exchange: Exchange },
) {
  const limit = createKeyLimit({ perMinute: 600, now: () => 30_000, ...options });
  open.push(limit);
  return limit;
}

async function admitted(limit: KeyLimit, requests: number, key = 'k'): Promise<number> {
  const all = await Promise.all(Array.from({ length: requests }, () => limit.take(key)));
  return all.filter(({ isAllowed }) => isAllowed).length;
}

/** However slow the machine is: no exchange is given up. */
const forEver = () => new Promise<never>(() => undefined);

describe('createKeyLimit', () => {
  it('admits exactly the limit in one process, each key apart, and says what is left', async () => {
    const limit = openLimit({ exchange: createBoard().join() });
    expect(await limit.take('k')).toEqual({
      isAllowed: true,
      policy: 'key',
      limit: 600,
      remaining: 599,
      resetSeconds: 30,
    });
    expect(await admitted(limit, 1000)).toBe(599);
    expect(await limit.take('k')).toMatchObject({ isAllowed: false, remaining: 0 });
    expect(await admitted(limit, 1000, 'other')).toBe(600);
  });

  it('begins anew with the minute', async () => {
    let now = 59_999;
    const limit = openLimit({ exchange: createBoard().join(), now: () => now });
    await admitted(limit, 700);
    expect(await limit.take('k')).toMatchObject({ isAllowed: false, resetSeconds: 1 });
    now = 60_000;
    expect(await limit.take('k')).toMatchObject({
      isAllowed: true,
      remaining: 599,
      resetSeconds: 60,
    });
  });

  it('over N processes admits at most a tenth of the limit more for each further one', async () => {
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 300 }),
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 }),
      async (perMinute, pauses) => {
        const board = createBoard();
        const limits = pauses.map((pause) =>
          openLimit({ perMinute, exchange: board.join(pause), pause: forEver }),
        );
        const counts = await Promise.all(limits.map((limit) => admitted(limit, 2 * perMinute)));
        const total = counts.reduce((sum, count) => sum + count, 0);
        const untold = Math.max(1, Math.ceil(perMinute / 10));
        expect(total).toBeGreaterThanOrEqual(perMinute);
        expect(total).toBeLessThanOrEqual(perMinute + (limits.length - 1) * untold);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  }, 30_000);

  it('tells others about once for each tenth of the limit, and nothing once it is spent', async () => {
    const board = createBoard();
    const limit = openLimit({ exchange: board.join() });
    await admitted(limit, 5_000);
    const exchanges = board.exchanges();
    expect(exchanges).toBeLessThanOrEqual(10);
    expect(await admitted(limit, 5_000)).toBe(0);
    expect(board.exchanges()).toBe(exchanges);
  });

  it('tells the others without being asked, also at its end', async () => {
    const board = createBoard();
    const [first, second] = [openLimit({ exchange: board.join() }), board.join()];
    await admitted(first, 5);
    const othersOf = async () =>
      (await second({ windowStart: 0, windowEnd: 60_000, counts: new Map([['k', 0]]) })).get('k');
    for (let tries = 0; tries < 100 && (await othersOf()) === 0; tries += 1) await sleep(50);
    expect(await othersOf()).toBe(5);
    await admitted(first, 5);
    await first.close();
    expect(await othersOf()).toBe(10);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('away'))],
    ['never answers', () => new Promise<never>(() => undefined)],
  ])('decides alone after a second at most when the exchange %s', async (_, exchange) => {
    let asked = 0;
    const pauses = new Set<number>();
    const limit = openLimit({
      exchange: () => {
        asked += 1;
        return exchange();
      },
      monotonic: () => 0,
      pause: async (ms) => pauses.add(ms),
    });
    expect(await admitted(limit, 1000)).toBe(600);
    expect([...pauses]).toEqual([1_000]);
    expect(asked).toBe(1);
    open.splice(0); // its last telling would never end
  });
});
