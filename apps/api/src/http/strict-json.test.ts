import fc from 'fast-check';
import { parseStrictJson } from './strict-json.ts';

describe('parseStrictJson', () => {
  it('parses whatever has no key twice exactly like JSON.parse', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6 }),
        fc.constantFrom(undefined, 2, '\t'),
        (value, space) => {
          const text = JSON.stringify(value, null, space);
          fc.pre(!text.includes('__proto__'));
          expect(parseStrictJson(text)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it('finds a doubled key wherever it is and however it is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (key, value) => {
        fc.pre(key !== '__proto__');
        const plain = JSON.stringify(key);
        const escaped = `"${toEscape(key)}"`;
        const inner = `{${plain}:${JSON.stringify(value)},"other":[1],${escaped}:2}`;
        expect(() => parseStrictJson(`[{"a":${inner}}]`)).toThrow('appears twice');
      }),
    );
  });

  it('equal keys of different objects, and keys that are values elsewhere, are fine', () => {
    expect(parseStrictJson('{"a":{"a":["a",{"a":"b"}]},"b":"a"}')).toBeDefined();
    expect(parseStrictJson('{"a":"{\\"a\\":1,\\"a\\":2}"}')).toBeDefined();
  });

  it.each(['{"__proto__":1}', '{"a":[{"\\u005f_proto__":{}}]}'])('refuses %s', (text) => {
    expect(() => parseStrictJson(text)).toThrow("'__proto__' is not allowed");
  });

  it('takes 32 levels and refuses more, in time that does not explode', () => {
    expect(parseStrictJson(`${'['.repeat(32)}${']'.repeat(32)}`)).toBeDefined();
    expect(() => parseStrictJson(`${'['.repeat(33)}${']'.repeat(33)}`)).toThrow('deeper than 32');
    const started = performance.now();
    expect(() => parseStrictJson(`${'['.repeat(32_000)}${']'.repeat(32_000)}`)).toThrow('deeper');
    for (const hostile of [
      '"'.repeat(65_000),
      `"${'\\'.repeat(65_000)}`,
      `{"a":${'"'.repeat(9999)}`,
    ]) {
      expect(() => parseStrictJson(hostile)).toThrow('not valid JSON');
    }
    expect(performance.now() - started).toBeLessThan(500);
  });
});

function toEscape(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
