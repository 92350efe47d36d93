import { randomInt } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { dataObjectJson, type Figures } from '@tributary/shared';
import type { Reply } from '../http/reply.ts';
import { csvDaysReply, fileName } from './csv-answer.ts';

const DAYS = 12_000;
const HEAD = '{"date":"2026-11-01","data":{"SOCIAL_ADS":[';

/** As much as never shrinks to what a stream holds of itself. */
function dayText(): string {
  const any = () => randomInt(2 ** 47);
  const figures: Figures = [any(), any(), any(), any(), any(), any(), any()];
  return `{"date":"2026-11-01","total":${dataObjectJson(figures, true)}}`;
}
const PIECE = Buffer.from(Array.from({ length: 200 }, () => `${dayText()},`).join(''));
const LAST = `${dayText()}]}}`;

/** The JSON of an answer of megabytes, and how much of it was asked for. */
function createSource({ failsAt = Number.POSITIVE_INFINITY } = {}) {
  const seen = { pieces: 0, turns: 0 };
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  async function* pieces() {
    try {
      yield Buffer.from(HEAD);
      for (let days = 0; days < DAYS; days += 200) {
        seen.pieces += 1;
        if (seen.pieces > failsAt) throw new Error('broken piece');
        yield PIECE;
      }
      yield Buffer.from(LAST);
    } finally {
      close();
    }
  }
  const length = HEAD.length + (DAYS / 200) * PIECE.length + LAST.length;
  const reply = (acceptsGzip: boolean) =>
    csvDaysReply(
      {
        headers: {},
        names: ['campaign', 'c1', { start: '2026-11-01', end: '2026-11-01' }],
        context: { acceptsGzip, answerType: 'text/csv' },
      },
      { chunks: pieces(), length },
      async () => {
        seen.turns += 1;
        await nextRound();
      },
    );
  return { seen, closed, length, reply };
}

function streamOf({ bytes }: Reply): AsyncIterator<Uint8Array> {
  const { chunks } = bytes ?? {};
  if (!chunks || !(Symbol.asyncIterator in chunks)) throw new Error('Not made while it is sent');
  return chunks[Symbol.asyncIterator]();
}

async function rest(stream: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let one = await stream.next(); !one.done; one = await stream.next()) chunks.push(one.value);
  return Buffer.concat(chunks);
}

describe.each([true, false])('a long table, gzip: %p', (acceptsGzip) => {
  it('has all rows, takes a turn for each slice of JSON and tells no length', async () => {
    const { seen, length, reply } = createSource();
    const answer = await reply(acceptsGzip);
    expect(seen.pieces).toBe(0);
    const body = await rest(streamOf(answer));
    const text = (acceptsGzip ? gunzipSync(body) : body).toString();
    expect(text.split('\r\n')).toHaveLength(DAYS + 3); // header line, the last day, and nothing after the last line
    expect(seen.turns).toBeGreaterThanOrEqual(Math.floor(length / (64 * 1024)));
    expect(answer.bytes?.length).toBeUndefined();
    expect(answer.headers['Content-Encoding']).toBe(acceptsGzip ? 'gzip' : undefined);
  });

  it('is made no faster than it is taken, and given up with its client', async () => {
    const { seen, closed, reply } = createSource();
    const stream = streamOf(await reply(acceptsGzip));
    await stream.next();
    for (let round = 0; round < 2000; round += 1) await nextRound();
    expect(seen.pieces).toBeLessThan(DAYS / 200 / 2);
    await stream.return?.();
    await closed;
    expect(seen.pieces).toBeLessThan(DAYS / 200 / 2);
  });

  it('breaks off where its figures cannot be read', async () => {
    const { reply } = createSource({ failsAt: 20 });
    await expect(rest(streamOf(await reply(acceptsGzip)))).rejects.toThrow('broken piece');
  });
});

test.each([
  ['c1', 'campaign_c1_2026-11-01_2026-11-30.csv'],
  ['act_12-34', 'campaign_act-12-34_2026-11-01_2026-11-30.csv'],
  ['../"a"\r\n;한글', 'campaign_-a-_2026-11-01_2026-11-30.csv'],
  ['9'.repeat(200), `campaign_${'9'.repeat(64)}_2026-11-01_2026-11-30.csv`],
])('the file of %p has a name that is safe everywhere', (value, name) => {
  expect(fileName('campaign', value, { start: '2026-11-01', end: '2026-11-30' })).toBe(name);
});
