import { promisify } from 'node:util';
import { constants, crc32, createInflateRaw, inflateRaw } from 'node:zlib';
import type { Lru } from '@tributary/runtime';
import type { Bytes } from '../http/reply.ts';
import type { Segment } from './gzip-join.ts';

/** Plain texts of sealed days by their hash: inflating costs more than everything else in a plain answer. */
export type PlainTexts = Lru<Uint8Array>;

/** About how much is inflated at once: off the event loop's thread, and little to check and copy on it afterwards. */
const SLICE_BYTES = 256 * 1024;
/** A longer text of one day is inflated piece by piece and not kept: to check and copy it takes milliseconds. */
const LONG_BYTES = 512 * 1024;
/** Up to this length an answer is complete before its first byte is sent. */
export const COMPLETE_BYTES = 2 * 1024 * 1024;

const inflate = promisify(inflateRaw);

/**
 * The segments' plain text. A short answer is complete before it is sent; a longer one is inflated slice by slice while
 * it is sent, and never more than a slice of it is held.
 *
 * @throws Error when a piece does not hold the text that it names; never after its last byte was given out
 */
export async function plainChunks(
  segments: readonly Segment[],
  texts: PlainTexts,
): Promise<Bytes['chunks']> {
  const slices = sliced(segments);
  const length = segments.reduce((sum, { n }) => sum + n, 0);
  if (length > COMPLETE_BYTES) return streamSlices(slices, texts);
  const chunks: Uint8Array[] = [];
  for (const slice of slices) chunks.push(...(await inflateSlice(slice, texts)));
  return chunks;
}

async function* streamSlices(
  slices: readonly (readonly Segment[])[],
  texts: PlainTexts,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const slice of slices) {
    const [first] = slice;
    if (first && first.n > LONG_BYTES && !first.plain) yield* inflateLong(first);
    else yield Buffer.concat(await inflateSlice(slice, texts));
  }
}

function sliced(segments: readonly Segment[]): Segment[][] {
  const slices: Segment[][] = [];
  let room = 0;
  for (const segment of segments) {
    room -= segment.n;
    const slice = room < 0 ? undefined : slices.at(-1);
    if (slice) {
      slice.push(segment);
    } else {
      slices.push([segment]);
      room = SLICE_BYTES - segment.n;
    }
  }
  return slices;
}

/** The last chunk is held back until the text has been checked. */
async function* inflateLong(segment: Segment): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = createInflateRaw({
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: SLICE_BYTES,
  });
  stream.end(segment.z);
  let ready: Uint8Array | undefined;
  let length = 0;
  let crc = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    if (ready) yield ready;
    ready = chunk;
    length += chunk.length;
    crc = crc32(chunk, crc);
  }
  if (length !== segment.n || crc !== segment.c) throw notItsText(segment);
  if (ready) yield ready;
}

function notItsText({ n, c }: Segment): Error {
  return new Error(`A stored piece does not hold its text of ${n} bytes with CRC ${c}`);
}

async function inflateSlice(slice: readonly Segment[], texts: PlainTexts): Promise<Uint8Array[]> {
  const known = slice.map(({ plain, h }) => plain ?? (h === undefined ? h : texts.get(h)));
  const unknown = slice.filter((_, index) => known[index] === undefined);
  const inflated = await inflateTogether(unknown);
  let start = 0;
  return slice.map((segment, index) => {
    const text = known[index];
    if (text) return text;
    const made = inflated.subarray(start, start + segment.n);
    start += segment.n;
    if (made.length !== segment.n || crc32(made) !== segment.c) {
      throw notItsText(segment);
    }
    if (segment.h !== undefined) texts.set(segment.h, ownCopy(made));
    return made;
  });
}

async function inflateTogether(segments: readonly Segment[]): Promise<Uint8Array> {
  if (segments.length === 0) return new Uint8Array();
  const length = segments.reduce((sum, { n }) => sum + n, 0);
  return await inflate(Buffer.concat(segments.map(({ z }) => z)), {
    finishFlush: constants.Z_SYNC_FLUSH,
    // One output buffer with a little room: the work is one task of the thread pool.
    chunkSize: length + 64,
  });
}

/** Of exactly its length: a part of a larger buffer would keep all of it in memory. */
function ownCopy(text: Uint8Array): Uint8Array {
  const copy = Buffer.allocUnsafeSlow(text.length);
  copy.set(text);
  return copy;
}
