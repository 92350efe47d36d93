import fc from 'fast-check';

/** How often a property is tried: fewer times where fast-check is configured so, as for the mutation tests. */
export function testRuns(runsMax: number): { numRuns: number } {
  return { numRuns: Math.min(runsMax, fc.readConfigureGlobal().numRuns ?? runsMax) };
}
