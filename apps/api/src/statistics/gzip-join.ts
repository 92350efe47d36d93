import { crc32 } from 'node:zlib';
import { crcJoin, crcShift } from '@tributary/shared';

/**
 * Text as a run of complete, byte-aligned deflate blocks that refer to nothing before them: it can stand anywhere in a
 * deflate stream. Sealed days are stored like this.
 */
export interface Segment {
  z: Uint8Array;
  /** Length of the plain text in bytes. */
  n: number;
  /** CRC-32 of the plain text. */
  c: number;
  /** What moves a CRC over the text: x^(8n) modulo the CRC polynomial. */
  o: number;
  /** Names the plain text: equal hashes, equal bytes. */
  h?: string;
  /** The text itself, where it is at hand anyway. */
  plain?: Uint8Array;
}

const STORED_MAX = 0xffff;

/** Short text as a stored block (RFC 1951, 3.2.4): five bytes longer than the text and made without compressing. */
export function storedSegment(text: string): Segment {
  const plain = Buffer.from(text);
  if (plain.length > STORED_MAX) throw new RangeError(`${plain.length} bytes in one stored block`);
  const head = Buffer.alloc(5);
  head.writeUInt16LE(plain.length, 1);
  head.writeUInt16LE(~plain.length & 0xffff, 3);
  return {
    z: Buffer.concat([head, plain]),
    n: plain.length,
    c: crc32(plain),
    o: crcShift(plain.length),
    plain,
  };
}

/** Member header (RFC 1952): deflate, no name, no time, unknown system. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** A last, empty block with fixed codes; the trailer follows it. */
const LAST_BLOCK = [0x03, 0x00];

/** The segments as one gzip member: nothing is inflated or deflated, the CRC is combined from theirs. */
export function joinGzip(segments: readonly Segment[]): { chunks: Uint8Array[]; length: number } {
  const trailer = Buffer.alloc(10);
  trailer.set(LAST_BLOCK);
  let crc = 0;
  let plainLength = 0;
  let length = HEADER.length + trailer.length;
  const chunks: Uint8Array[] = [HEADER];
  for (const { z, n, c, o } of segments) {
    crc = crcJoin(crc, c, o);
    plainLength += n;
    length += z.length;
    chunks.push(z);
  }
  trailer.writeUInt32LE(crc >>> 0, 2);
  trailer.writeUInt32LE(plainLength % 0x1_0000_0000, 6);
  chunks.push(trailer);
  return { chunks, length };
}
