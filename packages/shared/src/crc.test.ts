import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { crcJoin, crcShift } from './crc.ts';

it('the CRC of two texts one after the other comes from theirs', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      const joined = crcJoin(crc32(a), crc32(b), crcShift(b.length));
      expect(joined).toBe(crc32(Buffer.concat([a, b])));
    }),
    { numRuns: 10_000 },
  );
});

it('joining many pieces is the CRC of the whole, also of megabytes', () => {
  const pieces = Array.from({ length: 40 }, (_, index) => Buffer.alloc(index * 20_011, index));
  const joined = pieces.reduce(
    (crc, piece) => crcJoin(crc, crc32(piece), crcShift(piece.length)),
    0,
  );
  expect(joined).toBe(crc32(Buffer.concat(pieces)));
});
