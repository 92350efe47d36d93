import {
  constants,
  crc32,
  createGunzip,
  deflateRawSync,
  gunzipSync,
  inflateRawSync,
} from 'node:zlib';
import { crcShift } from '@tributary/shared';
import fc from 'fast-check';
import { joinGzip, type Segment, storedSegment } from './gzip-join.ts';

function deflated(text: string): Segment {
  const plain = Buffer.from(text);
  return {
    z: deflateRawSync(plain, { finishFlush: constants.Z_SYNC_FLUSH }),
    n: plain.length,
    c: crc32(plain),
    o: crcShift(plain.length),
  };
}

const segment = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 2000 }).map((text) => ({ text, made: deflated(text) })),
  fc.string({ maxLength: 300 }).map((text) => ({ text, made: storedSegment(text) })),
  fc
    .record({ text: fc.string({ minLength: 1, maxLength: 20 }), times: fc.nat(3000) })
    .map(({ text, times }) => text.repeat(times))
    .map((text) => ({ text, made: deflated(text) })),
);

/** Reads one member by the letter of RFC 1952 and refuses a byte more or less. */
function readOneMember(bytes: Buffer): Buffer {
  expect(bytes.subarray(0, 4)).toEqual(Buffer.from([0x1f, 0x8b, 8, 0]));
  const body = bytes.subarray(10, -8);
  const { buffer, engine } = inflateRawSync(body, { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  expect(engine.bytesWritten).toBe(body.length); // the last block ends where the trailer begins
  expect(bytes.readUInt32LE(bytes.length - 8)).toBe(crc32(buffer));
  expect(bytes.readUInt32LE(bytes.length - 4)).toBe(buffer.length);
  return buffer;
}

describe('joinGzip', () => {
  it('makes one member whose CRC and length are those of the whole text', () => {
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 12 }), (parts) => {
        const whole = parts.map(({ text }) => text).join('');
        const { chunks, length } = joinGzip(parts.map(({ made }) => made));
        const bytes = Buffer.concat(chunks);
        expect(bytes.length).toBe(length);
        expect(gunzipSync(bytes).equals(Buffer.from(whole))).toBe(true);
        expect(readOneMember(bytes).equals(Buffer.from(whole))).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('is read by a decoder that gets it byte by byte', async () => {
    const { chunks } = joinGzip([storedSegment('['), deflated('1,2,3'), storedSegment(']')]);
    const gunzip = createGunzip();
    for (const byte of Buffer.concat(chunks)) gunzip.write(Buffer.of(byte));
    gunzip.end();
    expect(Buffer.concat(await gunzip.toArray()).toString()).toBe('[1,2,3]');
  });

  it('refuses text that does not fit one stored block', () => {
    expect(() => storedSegment('x'.repeat(65_536))).toThrow('65536 bytes in one stored block');
  });
});
