import type { z } from 'zod';
import { FeedRowError, wrongField } from './row-error.ts';

/**
 * A row of a feed as its schema describes it.
 *
 * @throws FeedRowError for the first field that does not fit
 */
export function parseRow<T>(row: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String) ?? [];
  if (issue?.code === 'unrecognized_keys') {
    const field = [...path, issue.keys[0] ?? ''].join('.');
    throw new FeedRowError(field, `Unknown field '${field}'`);
  }
  throw wrongField(path.join('.'), valueAt(row, path), expectation(issue));
}

function expectation(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case 'invalid_type':
      return issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `at least ${issue.minimum}`;
    case 'too_big':
      return `at most ${issue.maximum}`;
    default:
      return issue?.message.replace(/^expected /, '') ?? 'something else';
  }
}

function valueAt(row: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    row,
  );
}
