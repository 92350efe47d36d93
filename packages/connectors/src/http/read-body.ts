import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { RetryableError } from '@tributary/runtime';

export interface BodyLimits {
  /** Where the body came from, for messages. */
  place: string;
  /** The `content-encoding` header; only gzip and br are asked for. */
  encoding: string | undefined;
  /** Decoded bytes after which reading stops: a small compressed body may be a huge one. */
  bytesMax: number;
}

/**
 * Reads a body to its end as UTF-8.
 *
 * @throws RetryableError `too_large` above the limit, `malformed_answer` for an unknown encoding or broken UTF-8
 */
export async function readBody(body: Readable, limits: BodyLimits): Promise<string> {
  const pieces: string[] = [];
  await readText(body, limits, (piece) => pieces.push(piece));
  return pieces.join('');
}

/** {@link readBody} piece by piece, as it comes; characters are never cut. */
export async function readText(
  body: Readable,
  limits: BodyLimits,
  onText: (piece: string) => void,
): Promise<void> {
  const decoder = decoderOf(limits);
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let reason: unknown;
  const collect = async (source: AsyncIterable<Buffer>) => {
    try {
      for await (const chunk of source) {
        bytes += chunk.length;
        if (bytes > limits.bytesMax) throw tooLarge(limits);
        onText(decode(utf8, limits, chunk));
      }
      onText(decode(utf8, limits));
    } catch (error) {
      reason = error;
      throw error;
    }
  };
  try {
    await (decoder ? pipeline(body, decoder, collect) : pipeline(body, collect));
  } catch (error) {
    throw reason ?? error; // A destroyed decoder reports its own, later error.
  }
}

function tooLarge({ place, bytesMax }: BodyLimits): RetryableError {
  return new RetryableError('too_large', `The answer of ${place} is larger than ${bytesMax} bytes`);
}

/** Without a chunk: the end, at which no character may be half there. */
function decode(
  utf8: InstanceType<typeof TextDecoder>,
  { place }: BodyLimits,
  chunk?: Buffer,
): string {
  try {
    return chunk ? utf8.decode(chunk, { stream: true }) : utf8.decode();
  } catch (cause) {
    throw new RetryableError('malformed_answer', `The answer of ${place} is not UTF-8`, { cause });
  }
}

function decoderOf({ encoding, place }: BodyLimits): Transform | undefined {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new RetryableError(
        'malformed_answer',
        `Unknown content-encoding '${encoding}' in the answer of ${place}`,
      );
  }
}
