import fc from 'fast-check';
import { CredentialError, createCredentialBox } from './credential-box.ts';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const box = createCredentialBox(`k2:${key(2)},k1:${key(1)}`);
const place = { tenant: 't1', channel: 'SOCIAL_ADS', link: 'l1' };

const packed = (bytes: Uint8Array) => `k2.${Buffer.from(bytes).toString('base64url')}`;

function codeOf(open: () => unknown): string | undefined {
  try {
    open();
    return undefined;
  } catch (error) {
    if (error instanceof CredentialError) return error.code;
    throw error;
  }
}

describe('createCredentialBox', () => {
  it('opens what it sealed, with the current key named in front', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const sealed = box.seal(place, value);
        expect(sealed.startsWith('k2.')).toBe(true);
        expect(box.keyIdOf(sealed)).toBe('k2');
        expect(box.open(place, sealed)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('opens what an older key sealed', () => {
    const sealed = createCredentialBox(`k1:${key(1)}`).seal(place, { a: 1 });
    expect(box.open(place, sealed)).toEqual({ a: 1 });
  });

  it('never seals the same value into the same text', () => {
    const texts = new Set(Array.from({ length: 1000 }, () => box.seal(place, 'x')));
    expect(texts.size).toBe(1000);
  });

  it.each([
    { tenant: 't2' },
    { channel: 'PORTAL1_DA' },
    { link: 'l2' },
    // Shifting characters between the parts must not give the same bytes.
    { tenant: 't1","SOCIAL_ADS', channel: 'l1' },
  ])('refuses another place: %j', (other) => {
    const sealed = box.seal(place, { token: 'x' });
    expect(codeOf(() => box.open({ ...place, ...other }, sealed))).toBe('credentials_unreadable');
  });

  it('names the key when it is not configured', () => {
    const sealed = createCredentialBox(`old-1:${key(9)}`).seal(place, {});
    expect(codeOf(() => box.open(place, sealed))).toBe('credentials_key_unknown');
    expect(() => box.open(place, sealed)).toThrow("'old-1'");
  });

  it('refuses another key under the same id', () => {
    const sealed = createCredentialBox(`k1:${key(7)}`).seal(place, {});
    expect(codeOf(() => box.open(place, sealed))).toBe('credentials_unreadable');
  });

  it('refuses 10,000 mutations in bounded time', () => {
    const secret = 'canary-in-the-plain-text';
    const sealed = box.seal(place, { token: secret });
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    const at = fc.nat(bytes.length - 1);
    const mutations = fc.oneof(
      fc.tuple(at, fc.nat(7)).map(([index, bit]) => {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(index) ^ (1 << bit), index);
        return packed(changed);
      }),
      at.map((length) => packed(bytes.subarray(0, length))),
      fc
        .tuple(at, fc.uint8Array({ minLength: 1, maxLength: 20 }))
        .map(([index, more]) =>
          packed(Buffer.concat([bytes.subarray(0, index), more, bytes.subarray(index)])),
        ),
      // One character of the text, the key id and the padding bits of the last one included.
      fc
        .tuple(
          fc.nat(sealed.length - 1),
          fc.constantFrom('A', 'b', '0', '-', '_', '.', '=', '1', 'k', ' '),
        )
        .map(([index, character]) => sealed.slice(0, index) + character + sealed.slice(index + 1)),
      fc.string().map((text) => `k2.${text}`),
      fc.string(),
    );
    const started = performance.now();
    fc.assert(
      fc.property(
        mutations.filter((text) => text !== sealed),
        (text) => {
          let message = '';
          expect(
            codeOf(() => {
              try {
                return box.open(place, text);
              } catch (error) {
                message = String(error);
                throw error;
              }
            }),
          ).toMatch(/^credentials_/);
          expect(message).not.toContain(secret);
        },
      ),
      { numRuns: 10_000 },
    );
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it.each([
    ['', "entry 1 is not 'kid:base64(32 bytes)'"],
    ['k1', "entry 1 is not 'kid:base64(32 bytes)'"],
    [`k1:${key(1)},`, "entry 2 is not 'kid:base64(32 bytes)'"],
    [`k.1:${key(1)}`, 'entry 1 is not'],
    [`k1:${Buffer.alloc(31).toString('base64')}`, "key 'k1' has 31 bytes, expected 32"],
    [`k1:${key(1)},k1:${key(2)}`, "names key 'k1' twice"],
  ])('refuses the key list %j', (keys, message) => {
    expect(() => createCredentialBox(keys)).toThrow(message);
  });

  it('never repeats a malformed key', () => {
    const bad = Buffer.alloc(31, 5).toString('base64');
    expect(() => createCredentialBox(`k1:${bad}`)).not.toThrow(bad);
    expect(() => createCredentialBox(`k1:${bad}`)).toThrow(TypeError);
  });

  it.each([undefined, () => 1])('refuses to seal %p, which is no JSON value', (value) => {
    expect(() => box.seal(place, value)).toThrow('Credentials must be a JSON value');
  });

  it('refuses to seal for no tenant', () => {
    expect(() => box.seal({ ...place, tenant: '' }, {})).toThrow(TypeError);
  });
});
