import { contentHash, makePiece } from '@tributary/database';
import { createLru } from '@tributary/runtime';
import fc from 'fast-check';
import { type Segment, storedSegment } from './gzip-join.ts';
import { type PlainTexts, plainChunks } from './plain-text.ts';

function sealed(text: string): Segment {
  return { ...makePiece(text), h: contentHash(text) };
}

const cache = (bytes: number): PlainTexts => createLru(bytes, ({ length }) => length);

async function read(segments: readonly Segment[], texts: PlainTexts): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of await plainChunks(segments, texts)) chunks.push(String(chunk));
  return chunks;
}

describe('plainChunks', () => {
  it('gives the text back whatever is already known, and after any of it was forgotten', async () => {
    const parts = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 500 }).map((text) => ({ text, made: sealed(text) })),
        fc.string({ maxLength: 50 }).map((text) => ({ text, made: storedSegment(text) })),
      ),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(parts, fc.nat(3000), async (some, room) => {
        const texts = cache(room);
        const whole = some.map(({ text }) => Buffer.from(text).toString()).join('');
        for (let time = 0; time < 3; time += 1) {
          const chunks = await plainChunks(
            some.map(({ made }) => made),
            texts,
          );
          if (!Array.isArray(chunks)) throw new Error('A short answer is complete at once');
          expect(Buffer.concat(chunks).toString()).toBe(whole);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('gives a long text in slices', async () => {
    const texts = Array.from({ length: 9 }, (_, index) => String(index).repeat(100_000 * index));
    const chunks = await read(texts.map(sealed), cache(1e7));
    const lengths = chunks.map(({ length }) => length);
    expect(lengths.slice(0, 5)).toEqual([100_000, 2e5, 3e5, 4e5, 5e5]);
    expect(Math.max(...lengths.slice(5))).toBeLessThanOrEqual(256 * 1024);
    expect(chunks.join('')).toBe(texts.join(''));
  });

  it.each([
    ['length', { n: -1, c: 0 }],
    ['CRC', { n: 0, c: 1 }],
  ])('never completes a long text whose %s is not the one it names', async (_, off) => {
    const text = 'day '.repeat(800_000);
    const piece = sealed(text);
    const wrong = { ...piece, n: piece.n + off.n, c: piece.c ^ off.c };
    let given = 0;
    const reading = (async () => {
      for await (const chunk of await plainChunks([wrong], cache(1e7))) given += chunk.length;
    })();
    await expect(reading).rejects.toThrow('does not hold its text');
    expect(given).toBeGreaterThan(0);
    expect(given).toBeLessThan(wrong.n);
  });

  it('inflates nothing that it knows', async () => {
    const texts = cache(1e6);
    const piece = sealed('some text');
    await read([piece], texts);
    expect(await read([{ ...piece, z: Buffer.of() }], texts)).toEqual(['some text']);
  });

  it('keeps no more memory alive than the text has', async () => {
    const texts = cache(1e6);
    await read([sealed('a'.repeat(5000)), sealed('b'.repeat(7))], texts);
    expect(texts.get(contentHash('b'.repeat(7)))?.buffer.byteLength).toBe(7);
  });

  it.each([1, -1])('fails when a piece is %d byte off the length it names', async (off) => {
    const piece = sealed('some text');
    const broken = plainChunks([{ ...piece, n: piece.n + off }], cache(1e6));
    await expect(broken).rejects.toThrow('does not hold its text');
  });

  it('keeps nothing of a piece that is not what it names', async () => {
    const texts = cache(1e6);
    const piece = sealed('some text');
    await expect(plainChunks([{ ...piece, c: piece.c ^ 1 }], texts)).rejects.toThrow('CRC');
    expect(texts.get(piece.h ?? '')).toBeUndefined();
  });
});
