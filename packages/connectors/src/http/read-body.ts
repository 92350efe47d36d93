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
  const decoder = decoderOf(limits);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let tooLarge: RetryableError | undefined;
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > limits.bytesMax) {
        const message = `The answer of ${limits.place} is larger than ${limits.bytesMax} bytes`;
        tooLarge = new RetryableError('too_large', message);
        throw tooLarge;
      }
      chunks.push(chunk);
    }
  };
  try {
    await (decoder ? pipeline(body, decoder, collect) : pipeline(body, collect));
  } catch (error) {
    throw tooLarge ?? error; // A destroyed decoder reports its own, later error.
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new RetryableError('malformed_answer', `The answer of ${limits.place} is not UTF-8`, {
      cause,
    });
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
