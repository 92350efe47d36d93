import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import { crcShift } from '@tributary/shared';

/** A text as it can be put into the middle of a gzip member without being touched again. */
export interface Piece {
  /** Raw deflate, flushed to a byte boundary: ends in 00 00 FF FF. */
  z: Buffer;
  /** Length of the plain text in bytes. */
  n: number;
  /** CRC-32 of the plain text. */
  c: number;
  /** What moves a CRC over this text: x^(8n). */
  o: number;
}

/** A longer text is deflated on the thread pool: it takes ten milliseconds and more. */
const LONG_BYTES = 256 * 1024;
const FLUSHED = { finishFlush: constants.Z_SYNC_FLUSH };
const deflate = promisify(deflateRaw);

export function makePiece(text: string): Piece {
  const plain = Buffer.from(text);
  return pieceOf(plain, deflateRawSync(plain, FLUSHED));
}

/** {@link makePiece}, without holding up the event loop for a long text. */
export async function makePieceAside(text: string): Promise<Piece> {
  if (text.length < LONG_BYTES) return makePiece(text);
  const plain = Buffer.from(text);
  return pieceOf(plain, await deflate(plain, FLUSHED));
}

function pieceOf(plain: Buffer, z: Buffer): Piece {
  if (z.length < 5 || z.readUInt32BE(z.length - 4) !== 0x0000ffff) {
    throw new Error('A deflated piece does not end on a byte boundary');
  }
  return { z, n: plain.length, c: crc32(plain), o: crcShift(plain.length) };
}

/** Names a text: equal hashes, equal bytes. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
