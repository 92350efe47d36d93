import fc from 'fast-check';
import { createSeenKeys } from './seen-keys.ts';

test('a key that comes twice is noticed, and no other', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      (keys, pick) => {
        const seen = createSeenKeys();
        for (const key of keys) seen.add(key);
        expect(() => seen.add(keys[pick % keys.length] ?? '')).toThrow('came twice');
      },
    ),
  );
  const many = createSeenKeys();
  for (let n = 0; n < 100_000; n += 1) many.add(`20261118\t1\tcmp-1\tgrp-${n}\tnkw-${n % 7}\tM`);
});
