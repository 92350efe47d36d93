import { parse } from 'csv-parse/sync';

/** The rows of a table by its header line, read by a parser that knows nothing of how it was written. */
export function readTable(csv: string | Uint8Array): Record<string, string>[] {
  return parse(Buffer.from(csv), { columns: true, record_delimiter: '\r\n' });
}

/** The text of a cell: one apostrophe before it keeps spreadsheets from running it. */
export function textOfCell(cell: string | undefined): string | undefined {
  return cell?.replace(/^'/, '');
}

/** A JSON value with its numbers as the texts that they are, so that none is rounded by reading it. */
export function readExactly(json: string): unknown {
  return JSON.parse(
    json.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?/g, (token) =>
      token.startsWith('"') ? token : `"${token}"`,
    ),
  );
}
