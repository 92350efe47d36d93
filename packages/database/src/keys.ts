import { randomBytes } from 'node:crypto';
import { plainText } from './tenant-scope.ts';

/**
 * An id of a platform or client as one part of a key: everything outside `[A-Za-z0-9_-]` is percent-encoded as UTF-8,
 * so no id holds the separator `.` or meets another id's range.
 *
 * @throws RangeError for a text that is no valid Unicode, which has no UTF-8 form
 */
export function encodeId(id: string): string {
  plainText('id', id);
  if (!isUnicode(id)) throw new RangeError('An id holds half of a surrogate pair');
  return encodeURIComponent(id).replace(
    /[.!~*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** False when a text holds half of a surrogate pair. */
export function isUnicode(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/**
 * The id that {@link encodeId} was given.
 *
 * @throws RangeError naming the text when it is no result of encodeId
 */
export function decodeId(encoded: string): string {
  try {
    const id = decodeURIComponent(encoded);
    if (encodeId(id) === encoded) return id;
  } catch (error) {
    if (!(error instanceof URIError || error instanceof RangeError)) throw error;
  }
  throw new RangeError(`Not an encoded id: '${encoded}'`);
}

/** The filter for every key that continues `prefix` with a further part; `/` is the character after `.`. */
export function keysBelow(prefix: string): { $gte: string; $lt: string } {
  return { $gte: `${prefix}.`, $lt: `${prefix}/` };
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Lower-case base32 of RFC 4648 without padding: safe in keys, addresses and file names. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32.charAt((value >> (bits - 5)) & 31);
    value &= 255;
  }
  return bits > 0 ? text + BASE32.charAt((value << (5 - bits)) & 31) : text;
}

/** A new id of 80 random bits in 16 characters: nobody guesses one, and none is drawn twice. */
export function randomId(): string {
  return base32(randomBytes(10));
}
