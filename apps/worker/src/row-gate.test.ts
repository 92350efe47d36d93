import fc from 'fast-check';
import { createRowGate } from './row-gate.ts';

const never = () => new AbortController().signal;
const settled = () => new Promise((done) => setImmediate(done));

/** Asks for rows and tells when they were granted. */
function ask(gate: ReturnType<typeof createRowGate>, rows: number, signal = never()) {
  const one = { granted: false, failed: undefined as unknown, leave: () => {} };
  gate.enter(rows, signal).then(
    (leave) => Object.assign(one, { granted: true, leave }),
    (failed: unknown) => Object.assign(one, { failed }),
  );
  return one;
}

test('whatever comes and goes, the rows held never exceed the bound, and everybody who stays is let in', async () => {
  const bound = 100;
  const step = fc.record({
    rows: fc.integer({ min: -5, max: 300 }),
    leaves: fc.constantFrom(1, 2),
    pick: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const gate = createRowGate(bound);
      const asked: { rows: number; one: ReturnType<typeof ask>; abort: AbortController }[] = [];
      const check = () => {
        const held = asked.filter(({ one }) => one.granted).map(({ rows }) => rows);
        expect(held.reduce((sum, rows) => sum + rows, 0)).toBeLessThanOrEqual(bound);
      };
      const end = async (index: number, leaves: number) => {
        const [first] = asked.splice(index, 1);
        if (!first) return false;
        const { granted } = first.one;
        // Who holds gives back, maybe twice; who waits goes away.
        if (granted) for (let i = 0; i < leaves; i += 1) first.one.leave();
        else first.abort.abort(new Error('gone'));
        await settled();
        check();
        return granted;
      };
      for (const { rows, leaves, pick } of steps) {
        const abort = new AbortController();
        const held = Math.min(Math.max(1, rows), bound);
        asked.push({ rows: held, one: ask(gate, rows, abort.signal), abort });
        await settled();
        check();
        if (pick % 3 === 0) await end(pick % asked.length, leaves);
      }
      while (asked.length > 0) expect(await end(0, 1)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('a request above the bound waits until it is alone, and is alone while it holds', async () => {
  const gate = createRowGate(10);
  const small = ask(gate, 1);
  const big = ask(gate, 1_000);
  await settled();
  expect([small.granted, big.granted]).toEqual([true, false]);
  small.leave();
  await settled();
  const next = ask(gate, 1);
  await settled();
  expect([big.granted, next.granted]).toEqual([true, false]);
  big.leave();
  await settled();
  expect(next.granted).toBe(true);
});

test('small requests do not overtake a big one that waits', async () => {
  const gate = createRowGate(10);
  const first = ask(gate, 6);
  const big = ask(gate, 8);
  const small = ask(gate, 1);
  await settled();
  expect([first.granted, big.granted, small.granted]).toEqual([true, false, false]);
  first.leave();
  await settled();
  expect([big.granted, small.granted]).toEqual([true, true]);
});

test('a waiter whose signal aborts leaves with its reason and makes way for those behind it', async () => {
  const gate = createRowGate(10);
  const first = ask(gate, 6);
  const abort = new AbortController();
  const aborted = ask(gate, 8, abort.signal);
  const behind = ask(gate, 4);
  await settled();
  expect([first.granted, behind.granted]).toEqual([true, false]);
  const reason = new Error('the turn is over');
  abort.abort(reason);
  await settled();
  expect(aborted.failed).toBe(reason);
  expect(behind.granted).toBe(true);
});

test('a signal that is aborted before asking is refused and holds nothing', async () => {
  const gate = createRowGate(10);
  const reason = new Error('too late');
  expect(ask(gate, 10, AbortSignal.abort(reason)).granted).toBe(false);
  await expect(gate.enter(10, AbortSignal.abort(reason))).rejects.toBe(reason);
  const next = ask(gate, 10);
  await settled();
  expect(next.granted).toBe(true);
});
