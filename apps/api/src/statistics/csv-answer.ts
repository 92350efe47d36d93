import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { RequestContext } from '../http/define-route.ts';
import { type Bytes, Reply } from '../http/reply.ts';
import type { TakeTurn } from '../http/turns.ts';
import { csvLine, DAY_COLUMNS } from './csv-cells.ts';
import { createDayRows } from './csv-days.ts';
import { COMPLETE_BYTES } from './plain-text.ts';
import { type Range, rangeText } from './range.ts';

const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
/** Raised when the same figures would make another table. */
const CSV_VERSION = 1;
/** So much JSON becomes rows at once: less than a millisecond, and a few of them in a new process. */
const SLICE_BYTES = 32 * 1024;
/** A table shrinks to a fifth already so; smaller costs several times as much. */
const GZIP_LEVEL = 1;

const gzipped = promisify(gzip);

type Wanted = Pick<RequestContext, 'acceptsGzip' | 'answerType'>;

/** What sets the ETag of a table apart from all others; nothing for JSON. */
export function csvTag({ answerType, acceptsGzip }: Wanted): string[] {
  if (answerType !== 'text/csv') return [];
  return [`${CSV_TYPE} ${CSV_VERSION} ${acceptsGzip ? 'gzip' : 'identity'}`];
}

interface Table {
  /** Of every answer with statistics. */
  headers: Readonly<Record<string, string>>;
  /** What the file is named after: the endpoint and what was asked for. */
  names: readonly [endpoint: string, value: string, range: Range];
  context: Wanted;
}

/** An answer as a table that is at hand. */
export async function csvReply(table: Table, text: string): Promise<Reply> {
  return reply(table, await completeBytes(table.context, Buffer.from(text)));
}

/**
 * The JSON of an answer with days as a table. A short one is complete before it is sent; a longer one is made while it
 * is sent, slice by slice, and never more than a slice of it is held.
 */
export async function csvDaysReply(
  table: Table,
  json: { chunks: Bytes['chunks']; length: number },
  takeTurn: TakeTurn,
): Promise<Reply> {
  const pieces = csvPieces(json.chunks, takeTurn);
  if (json.length > COMPLETE_BYTES) {
    const chunks = table.context.acceptsGzip ? gzipPieces(pieces) : pieces;
    return reply(table, { type: CSV_TYPE, chunks });
  }
  const complete: Uint8Array[] = [];
  for await (const piece of pieces) complete.push(piece);
  return reply(table, await completeBytes(table.context, Buffer.concat(complete)));
}

async function completeBytes({ acceptsGzip }: Wanted, text: Uint8Array): Promise<Bytes> {
  const body = acceptsGzip ? await gzipped(text, { level: GZIP_LEVEL }) : text;
  return { type: CSV_TYPE, length: body.length, chunks: [body] };
}

function reply({ headers, names, context }: Table, bytes: Bytes): Reply {
  return new Reply({
    headers: {
      ...headers,
      'Content-Disposition': `attachment; filename="${fileName(...names)}"`,
      ...(context.acceptsGzip && { 'Content-Encoding': 'gzip' }),
    },
    bytes,
  });
}

const NAME_MAX = 64;

/** `campaign_c1_2026-11-01_2026-11-30.csv`: nothing that a header or a file system would read as anything else. */
export function fileName(endpoint: string, value: string, range: Range): string {
  const named = value.slice(0, NAME_MAX).replaceAll(/[^A-Za-z0-9-]+/g, '-');
  return `${[endpoint, named, ...rangeText(range).split('/')].join('_')}.csv`;
}

/** The rows of a JSON answer, as lines in pieces. */
export async function* csvPieces(
  json: Bytes['chunks'],
  takeTurn: TakeTurn,
): AsyncGenerator<Uint8Array, void, undefined> {
  const rows = createDayRows();
  let lines = csvLine(DAY_COLUMNS);
  let read = SLICE_BYTES; // nothing before the first turn
  for await (const chunk of json) {
    for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
      const slice = chunk.subarray(start, start + SLICE_BYTES);
      if (read + slice.length > SLICE_BYTES) {
        if (lines !== '') yield Buffer.from(lines);
        lines = '';
        read = 0;
        await takeTurn();
      }
      read += slice.length;
      lines += rows.add(slice);
    }
  }
  rows.end();
  yield Buffer.from(lines);
}

/** Compressed off the event loop's thread, no faster than it is taken. */
async function* gzipPieces(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const zipped = createGzip({ level: GZIP_LEVEL, chunkSize: SLICE_BYTES });
  // What fails, fails the reading of what is zipped; a reader who leaves ends the pieces.
  pipeline(pieces, zipped, () => undefined);
  yield* zipped as AsyncIterable<Uint8Array>;
}
