import fc from 'fast-check';
import { base32, decodeId, encodeId, keysBelow, randomId } from './keys.ts';

const anyId = fc.string({ unit: 'binary' });

describe('encodeId', () => {
  it('gives any id back and uses only characters that are safe in keys', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        expect(encodeId(id)).toMatch(/^(?:[A-Za-z0-9_-]|%[0-9A-F]{2})*$/);
        expect(decodeId(encodeId(id))).toBe(id);
      }),
    );
  });

  it('keeps the ids of one owner inside its range and all others out', () => {
    fc.assert(
      fc.property(anyId, fc.string(), anyId, (owner, more, id) => {
        const { $gte, $lt } = keysBelow(encodeId(owner));
        // The nearest neighbour: an owner whose id begins with the first one's.
        const key = `${encodeId(owner + more)}.${encodeId(id)}`;
        expect(key >= $gte && key < $lt).toBe(more === '');
      }),
    );
  });

  it.each(['.', '~', '/', '%', '$', ' ', '!', "'", '(', ')', '*'])('encodes %s', (character) => {
    expect(encodeId(character)).toMatch(/^%[0-9A-F]{2}$/);
  });

  it('refuses half of a surrogate pair', () => {
    expect(() => encodeId('a\uD800')).toThrow(RangeError);
  });

  it.each(['%', '%2', '%e4', '%41', 'a.b', '~', '%FF'])('decodeId refuses %s', (text) => {
    expect(() => decodeId(text)).toThrow(`Not an encoded id: '${text}'`);
  });
});

describe('base32', () => {
  it('writes the vectors of RFC 4648', () => {
    expect(
      ['f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((t) => base32(Buffer.from(t))),
    ).toEqual(['my', 'mzxq', 'mzxw6', 'mzxw6yq', 'mzxw6ytb', 'mzxw6ytboi']);
  });

  it('makes ids of 16 characters that do not repeat', () => {
    const ids = Array.from({ length: 10_000 }, () => randomId());
    expect(new Set(ids).size).toBe(10_000);
    expect(ids.every((id) => /^[a-z2-7]{16}$/.test(id))).toBe(true);
  });
});
