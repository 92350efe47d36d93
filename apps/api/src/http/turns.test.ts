import { setImmediate as nextRound } from 'node:timers/promises';
import { createTurns, type TakeTurn } from './turns.ts';

/** In which round of the event loop each of five goes on that come at once. */
async function roundsOf(takeTurn: TakeTurn): Promise<number[]> {
  let round = 0;
  const count = () => {
    round += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const takers = Array.from({ length: 5 }, async () => {
    await takeTurn();
    return round;
  });
  const rounds = await Promise.all(takers);
  clearImmediate(timer);
  return rounds;
}

describe('createTurns', () => {
  it('lets one go on in each round of the event loop, first come, first served', async () => {
    const rounds = await roundsOf(createTurns());
    expect(new Set(rounds).size).toBe(5);
    expect(rounds).toEqual(rounds.toSorted((a, b) => a - b));
    // Without taking turns they share one.
    expect(new Set(await roundsOf(() => nextRound())).size).toBe(1);
  });
});
