// @ts-check
import fc from 'fast-check';

// A noticed change needs no smallest example.
fc.configureGlobal({ endOnFailure: true });
