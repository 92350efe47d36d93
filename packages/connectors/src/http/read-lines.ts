import type { Readable } from 'node:stream';
import { RetryableError } from '@tributary/runtime';
import { type BodyLimits, readText } from './read-body.ts';

/** Longer lines are no table's. */
const LINE_CHARACTERS_MAX = 100_000;

/**
 * Reads a text line by line and holds no more than a piece of it; lines come without their ends.
 *
 * @throws as {@link readText}; RetryableError `malformed_answer` for a line without end
 */
export async function readLines(
  body: Readable,
  limits: BodyLimits,
  onLines: (lines: readonly string[]) => void,
): Promise<void> {
  let rest = '';
  await readText(body, limits, (piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARACTERS_MAX) {
      const text = `The answer of ${limits.place} has a line of more than ${LINE_CHARACTERS_MAX} characters`;
      throw new RetryableError('malformed_answer', text);
    }
    if (lines.length > 0) onLines(lines.map(withoutReturn));
  });
  if (rest !== '') onLines([withoutReturn(rest)]);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
