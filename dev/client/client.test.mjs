// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWholeDocument, OPERATIONS_FILE, writeOperations } from './operations.mjs';
import { typeName, typeText } from './type-text.mjs';

test('the operations of the client are what `npm run client` writes', () => {
  const committed = readFileSync(join(__dirname, '../..', OPERATIONS_FILE), 'utf8');
  expect(committed).toBe(writeOperations(createWholeDocument()));
});

const OPTIONAL = {
  type: 'object',
  properties: { a: { type: 'integer' }, 'b-c': {} },
  required: [],
};
const METRICS = { type: 'string', enum: ['spend', 'reach'] };

test.each([
  [{ $ref: '#/components/schemas/SOCIAL_ADS_day' }, 'SocialAdsDay'],
  [{ type: ['number', 'null'] }, 'number | null'],
  [{ type: 'string', const: 'PORTAL1_DA' }, '"PORTAL1_DA"'],
  [METRICS, '"spend" | "reach"'],
  [{ anyOf: [{ type: 'integer' }, { type: 'number' }, { type: 'null' }] }, 'number | null'],
  [{ type: 'array', items: METRICS }, 'Array<"spend" | "reach">'],
  [OPTIONAL, '{ a?: number; "b-c"?: unknown }'],
  [{ ...OPTIONAL, required: ['a', 'b-c'] }, '{ a: number; "b-c": unknown }'],
  [{ type: 'object', additionalProperties: { type: 'boolean' } }, 'Record<string, boolean>'],
  [
    { type: 'object', propertyNames: METRICS, additionalProperties: { type: 'number' } },
    'Partial<Record<"spend" | "reach", number>>',
  ],
])('%j is the type %s', (schema, text) => {
  expect(typeText(schema, 'read')).toBe(text);
});

test('what is written may be given as undefined', () => {
  expect(typeText(OPTIONAL, 'written')).toBe(
    '{ a?: number | undefined; "b-c"?: unknown | undefined }',
  );
});

test('a schema that it cannot tell is refused, never guessed', () => {
  expect(() => typeText({ type: 'file' }, 'read')).toThrow('No type for {"type":"file"}');
  const mixed = { type: 'object', properties: {}, additionalProperties: { type: 'number' } };
  expect(() => typeText(mixed, 'read')).toThrow(TypeError);
});

test('names of types are words', () => {
  expect([typeName('LinkCoverage'), typeName('PORTAL1_DA_day')]).toEqual([
    'LinkCoverage',
    'Portal1DaDay',
  ]);
});
