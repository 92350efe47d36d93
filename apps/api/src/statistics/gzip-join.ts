import { promisify } from 'node:util';
import { constants, crc32, inflateRaw } from 'node:zlib';
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

/** About how much is inflated at once; off the event loop's thread, and never more is held. */
const SLICE_BYTES = 2 * 1024 * 1024;

const inflate = promisify(inflateRaw);

/**
 * The segments' plain text, slice by slice.
 *
 * @throws Error when a segment is not as long as it says
 */
export async function* inflateSegments(
  segments: readonly Segment[],
): AsyncGenerator<Uint8Array, void, undefined> {
  let slice: Uint8Array[] = [];
  let length = 0;
  for (const [index, { z, n }] of segments.entries()) {
    slice.push(z);
    length += n;
    const next = segments[index + 1];
    if (next && length + next.n <= SLICE_BYTES) continue;
    yield await inflateSlice(slice, length);
    slice = [];
    length = 0;
  }
}

async function inflateSlice(slice: readonly Uint8Array[], length: number): Promise<Uint8Array> {
  const plain = await inflate(Buffer.concat(slice), {
    finishFlush: constants.Z_SYNC_FLUSH,
    // One output buffer with a little room: the work is one task of the thread pool.
    chunkSize: length + 64,
  });
  if (plain.length !== length) {
    throw new Error(`Stored pieces inflate to ${plain.length} bytes, not to ${length}`);
  }
  return plain;
}
