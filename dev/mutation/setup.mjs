// @ts-check
import fc from 'fast-check';

// A noticed change needs no smallest example, and is noticed within few runs or not at all.
fc.configureGlobal({ endOnFailure: true, numRuns: 20 });
