import fc from 'fast-check';
import { readTable, textOfCell } from '../testing/read-table.ts';
import { csvLine, textCell } from './csv-cells.ts';

describe('a text in a table', () => {
  it.each([
    ['running shoes', 'running shoes'],
    ['', ''],
    ['shoes, red', '"shoes, red"'],
    ['12" "pizza"', '"12"" ""pizza"""'],
    ['two\nlines', '"two\nlines"'],
    ['a-b=c+d@e', 'a-b=c+d@e'],
    ['운동화 👟', '운동화 👟'],
  ])('%p is the cell %p', (text, cell) => {
    expect(textCell(text)).toBe(cell);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠1'])(
    '%p does not begin like a formula',
    (text) => {
      expect(textCell(text).replace('"', '')).toMatch(/^'/);
    },
  );

  it('survives, whatever it is', () => {
    const texts = fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 });
    const risky = fc
      .array(fc.constantFrom(...Array.from('=+-@\t\r\n,"\'＝ a👟')), { maxLength: 6 })
      .map((characters) => characters.join(''));
    fc.assert(
      fc.property(fc.oneof(texts, fc.array(risky, { minLength: 1 })), (values) => {
        const names = values.map((_, index) => `c${index}`);
        const [row = {}] = readTable(csvLine(names) + csvLine(values.map(textCell)));
        expect(Object.values(row).map(textOfCell)).toEqual(values);
        for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      }),
    );
  });
});
