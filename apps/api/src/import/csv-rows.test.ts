import fc from 'fast-check';
import { type CsvColumns, readCsvRows } from './csv-rows.ts';
import type { SourceRow } from './source-row.ts';
import { utf8Text } from './utf8-text.ts';

const columns: CsvColumns = { required: ['a', 'b'], optional: ['c'], json: new Set(['c']) };

async function read(text: string, pieceLength = 7): Promise<SourceRow[]> {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceLength)
      yield bytes.subarray(at, at + pieceLength);
  }
  const rows: SourceRow[] = [];
  for await (const row of readCsvRows(utf8Text(pieces()), columns)) rows.push(row);
  return rows;
}

const values = async (text: string) => (await read(text)).map(({ value }) => value);

test('reads any text in quotes, whatever the ends of lines and wherever the bytes are cut', async () => {
  const cell = fc
    .string({ unit: 'binary', minLength: 1 })
    .filter((text) => !/\p{Surrogate}/u.test(text));
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const end = fc.constantFrom('\n', '\r\n');
  const row = fc.tuple(cell, cell);
  await fc.assert(
    fc.asyncProperty(
      fc.array(row),
      end,
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      async (rows, eol, bom, length) => {
        const lines = ['a,b', ...rows.map((cells) => cells.map(quoted).join(','))];
        const found = await read(`${bom ? '\uFEFF' : ''}${lines.join(eol)}${eol}`, length);
        expect(found.map(({ value }) => value)).toEqual(rows.map(([a, b]) => ({ a, b })));
      },
    ),
  );
});

test('takes columns in any order, and an empty cell as a field that is not there', async () => {
  expect(await values(' b ,c,a\n1,,2\n,,\n')).toEqual([{ b: '1', a: '2' }, {}]);
});

test('reads cells of JSON with every digit, and leaves what is none', async () => {
  expect(await values('a,b,c\n1,2,"[{""x"":9007199254740993}]"\n1,2,{x\n')).toEqual([
    { a: '1', b: '2', c: [{ x: '9007199254740993' }] },
    { a: '1', b: '2', c: '{x' },
  ]);
});

test('numbers rows without the header and blank lines, and names those with other cells', async () => {
  const rows = await read('a,b\n\n1,2\n\n1\n1,2,3\n');
  expect(rows.map(({ number, fault }) => [number, fault])).toEqual([
    [1, undefined],
    [2, 'The row has 1 cells, expected 2 as in the header line'],
    [3, 'The row has 3 cells, expected 2 as in the header line'],
  ]);
});

test.each([
  ['', 'The body is empty'],
  ['\n\n', 'The body is empty'],
  ['a\n1\n', "Missing column 'b', expected a, b"],
  ['a,b,d\n', "Unknown column 'd', expected a, b, c"],
  ['a,b,a\n', "The column 'a' comes twice"],
  ['a,b,\n', "Unknown column ''"],
  ['a,b\n"1,2\n', 'Quote Not Closed'],
  ['a,b\n"1"x,2\n', 'Invalid Closing Quote'],
  [`a,b\n${'x'.repeat(1_100_000)},1\n`, 'Max Record Size'],
])('refuses %j', async (text, words) => {
  await expect(read(text, 60_000)).rejects.toMatchObject({
    problem: 'invalid_request',
    message: expect.stringContaining(words),
  });
});
