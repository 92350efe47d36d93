import { invalidRequest, type ProblemError } from '../http/problem.ts';

/** A file's text, piece by piece. */
export type SourceText = AsyncGenerator<string, void, undefined>;

/** One row of a file as it stands there. */
export interface SourceRow {
  /** From 1; the header line of a CSV file is not counted. */
  number: number;
  value: unknown;
  /** Why the row cannot even be read. */
  fault?: string;
}

/** Longest text of one row, in characters: a month of such days has to fit into one document of the store. */
export const ROW_LENGTH_MAX = 128 * 1024;

/** The file as a whole cannot be read: nothing of it is stored. */
export function invalidFile(message: string): ProblemError {
  return invalidRequest([{ in: 'body', name: '', message }]);
}
