import fc from 'fast-check';
import { readJsonRows } from './json-rows.ts';
import type { SourceText } from './source-row.ts';

async function* pieces(texts: readonly string[]): SourceText {
  for (const text of texts) yield text;
}

async function read(...texts: string[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const { number, value } of readJsonRows(pieces(texts))) {
    expect(number).toBe(values.length + 1);
    values.push(value);
  }
  return values;
}

/** A text cut at some places. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length];
  at.sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

const element = fc.jsonValue({ maxDepth: 4 });
const array = fc.array(element, { maxLength: 8 });

test('reads what JSON.parse reads, wherever the text is cut', async () => {
  const shapes = fc.constantFrom(
    (rows: string) => rows,
    (rows: string) => `\r\n{ "rows"\t: ${rows} } \n`,
    (rows: string) => `{"days":${rows}}`,
  );
  await fc.assert(
    fc.asyncProperty(
      array,
      shapes,
      fc.nat(3),
      fc.array(fc.nat()),
      async (rows, shape, indent, places) => {
        const text = shape(JSON.stringify(rows, null, indent));
        expect(await read(...cut(text, places))).toEqual(JSON.parse(JSON.stringify(rows)));
      },
    ),
  );
});

test('takes no text that lacks its end, wherever it breaks off', async () => {
  await fc.assert(
    fc.asyncProperty(array, fc.nat(), async (rows, place) => {
      const text = JSON.stringify({ rows });
      await expect(read(text.slice(0, place % text.length))).rejects.toMatchObject({
        problem: 'invalid_request',
      });
    }),
  );
});

test('keeps the digits of numbers beyond 2^53', async () => {
  expect(await read('[{"id":120210987654321987654,"spend":1234567890123.123456}]')).toEqual([
    { id: '120210987654321987654', spend: '1234567890123.123456' },
  ]);
});

test.each([
  '[1}',
  '[1]]',
  '[1],',
  '{"rows":[1]]',
  '{"rows":[1]}}',
  '{"rows":[1],"next":"2"}',
  '{"rows":{}}',
  '{"next":null,"rows":[]}',
  '[,1]',
  '[1,,2]',
  '[1 2]',
  '[{"a":1]',
  "[{'a':1}]",
  '[NaN]',
])('refuses %s', async (text) => {
  await expect(read(text)).rejects.toMatchObject({ problem: 'invalid_request' });
});
