import fc from 'fast-check';
import { z } from 'zod';
import { createCursors } from './cursor.ts';

const PlaceSchema = z.tuple([z.int().min(0), z.string()]);
const LIST = { path: 'link', tenant: 't', filters: ['a', undefined] };
const cursors = createCursors(LIST, PlaceSchema);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('createCursors', () => {
  it('reads what it wrote, and nothing as the beginning', () => {
    fc.assert(
      fc.property(fc.nat(), fc.string({ unit: 'binary' }), (at, id) => {
        expect(cursors.read(cursors.write([at, id]))).toEqual([at, id]);
      }),
    );
    expect(cursors.read(undefined)).toBeUndefined();
  });

  it('refuses the cursor of another tenant, route or question', () => {
    const own = cursors.write([1, 'x']);
    const others = [
      { ...LIST, tenant: 'u' },
      { ...LIST, path: 'comment' },
      { ...LIST, filters: ['a'] },
      { ...LIST, filters: ['a', ''] },
      { ...LIST, filters: [undefined, 'a'] },
      { path: 'link', tenant: 't' },
    ];
    for (const list of others) {
      const other = createCursors(list, PlaceSchema);
      expect(other.read(other.write([1, 'x']))).toEqual([1, 'x']);
      expect(() => other.read(own)).toThrow(own);
      expect(() => cursors.read(other.write([1, 'x']))).toThrow('query.cursor');
    }
  });

  it('refuses whatever it would not have written itself', () => {
    const own = cursors.write([1, 'x']);
    const [mark] = JSON.parse(Buffer.from(own, 'base64url').toString()) as [string];
    const forged = [
      '',
      'x',
      'bnVsbA', // null
      `${own}=`,
      ` ${own}`,
      `${own.slice(0, -1)}`,
      encode([mark]),
      encode([mark, 1]),
      encode([mark, 1, 'x', 2]),
      encode([mark, '1', 'x']),
      encode([mark, -1, 'x']),
      encode([mark, 1, { $gt: '' }]),
      encode({ 0: mark, 1: 1, 2: 'x' }),
      encode(['', 1, 'x']),
      Buffer.from(`["${mark}", 1,"x"]`).toString('base64url'),
      Buffer.from(`["${mark}",1e0,"x"]`).toString('base64url'),
    ];
    for (const cursor of forged) expect(() => cursors.read(cursor)).toThrow(`'${cursor}'`);
    expect(cursors.read(encode([mark, 1, 'x']))).toEqual([1, 'x']);
  });
});
