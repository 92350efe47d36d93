import fc from 'fast-check';
import { exactJson } from './exact-json.ts';

test('keeps the digits of an id beyond 2^53 as text', () => {
  expect(
    exactJson('{"id": 120210987654321987654 ,"n":9007199254740991,"ids":[9007199254740993]}'),
  ).toEqual({ id: '120210987654321987654', n: 9007199254740991, ids: ['9007199254740993'] });
});

test('keeps a decimal that a double would round as text', () => {
  expect(exactJson('{"spend":1234567890123.123456}')).toEqual({ spend: '1234567890123.123456' });
});

test('leaves numbers inside strings alone, also after escaped quotes', () => {
  const text = '{"a":"say \\"120210987654321987654\\" \\\\","b":1}';
  expect(exactJson(text)).toEqual(JSON.parse(text));
});

test('refuses an object with the same key twice', () => {
  expect(() => exactJson('{"impressions":"1","impressions":"2"}')).toThrow('same key twice');
});

test('reads every JSON text of ordinary numbers as JSON.parse does', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(value, fc.nat(3), (one, indent) => {
      const text = JSON.stringify(one, null, indent);
      expect(exactJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('reads every whole number exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (id) => {
      expect(String((exactJson(`[${id}]`) as unknown[])[0])).toBe(String(id));
    }),
  );
});
