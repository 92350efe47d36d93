import { pipeline, Readable } from 'node:stream';
import { exactJson } from '@tributary/connectors';
import { CsvError, parse } from 'csv-parse';
import { quote } from '../http/quote.ts';
import { invalidFile, ROW_LENGTH_MAX, type SourceRow, type SourceText } from './source-row.ts';

/** The columns of a CSV file: the feed's field names. */
export interface CsvColumns {
  required: readonly string[];
  optional: readonly string[];
  /** Cells that hold JSON: numbers, lists and objects. */
  json: ReadonlySet<string>;
}

/**
 * The rows of a CSV file (RFC 4180) under its header line. An empty cell is a field that is not there.
 *
 * @throws ProblemError `invalid_request` for a header that does not fit, and quotes that are never closed
 */
export async function* readCsvRows(
  text: SourceText,
  columns: CsvColumns,
): AsyncGenerator<SourceRow> {
  const parser = parse({
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: ROW_LENGTH_MAX,
  });
  // Errors of either side end the other one and are thrown by the loop below.
  pipeline(Readable.from(text), parser, () => {});
  let header: string[] | undefined;
  let number = 0;
  try {
    for await (const record of parser) {
      const cells = record as string[]; // without `columns` a record is the texts of its cells
      if (header === undefined) {
        header = checkHeader(cells, columns);
        continue;
      }
      number += 1;
      yield rowOf(number, cells, { header, columns });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidFile(`The body is not valid CSV: ${error.message}`);
  }
  if (header === undefined) throw invalidFile('The body is empty, expected a header line');
}

function checkHeader(cells: readonly string[], { required, optional }: CsvColumns): string[] {
  const header = cells.map((cell) => cell.trim());
  const known = [...required, ...optional];
  const unknown = header.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw invalidFile(`Unknown column ${quote(unknown)}, expected ${known.join(', ')}`);
  }
  const twice = header.find((name, index) => header.indexOf(name) !== index);
  if (twice !== undefined) throw invalidFile(`The column ${quote(twice)} comes twice`);
  const missing = required.find((name) => !header.includes(name));
  if (missing !== undefined) {
    throw invalidFile(`Missing column ${quote(missing)}, expected ${required.join(', ')}`);
  }
  return header;
}

function rowOf(
  number: number,
  cells: readonly string[],
  { header, columns }: { header: readonly string[]; columns: CsvColumns },
): SourceRow {
  if (cells.length !== header.length) {
    const fault = `The row has ${cells.length} cells, expected ${header.length} as in the header line`;
    return { number, value: undefined, fault };
  }
  const fields = header.flatMap((name, index) => {
    const cell = cells[index] ?? '';
    return cell === '' ? [] : [[name, columns.json.has(name) ? jsonCell(cell) : cell] as const];
  });
  return { number, value: Object.fromEntries(fields) };
}

/** What is no JSON stays text, for which the schema finds the words. */
function jsonCell(cell: string): unknown {
  try {
    return exactJson(cell);
  } catch {
    return cell;
  }
}
