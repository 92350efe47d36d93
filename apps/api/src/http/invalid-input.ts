import type { InvalidInput } from '@tributary/shared';
import type { z } from 'zod';
import { quote } from './quote.ts';

const ERRORS_MAX = 20;
/** Below these names of a body lie secrets: their values are quoted nowhere. */
const SECRET_NAMES: ReadonlySet<unknown> = new Set(['credentials']);

/** What a schema found wrong, in the words of the interface: the place, the name, the value, what was expected. */
export function invalidInputs(
  where: InvalidInput['in'],
  input: unknown,
  issues: readonly z.core.$ZodIssue[],
): InvalidInput[] {
  return issues.slice(0, ERRORS_MAX).flatMap((issue) => describe(where, input, issue));
}

function describe(
  where: InvalidInput['in'],
  input: unknown,
  issue: z.core.$ZodIssue,
): InvalidInput[] {
  const name = issue.path.map(String).join('.');
  const place = name === '' ? where : `${where}.${name}`;
  const value = valueAt(input, issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, ERRORS_MAX).map((key) => {
      const full = name === '' ? key : `${name}.${key}`;
      // Its value is not quoted: it may be a secret that does not belong there.
      return { in: where, name: full, message: `Unknown ${where} parameter ${quote(full)}` };
    });
  }
  const isSecret = SECRET_NAMES.has(issue.path[0]);
  const message =
    value === undefined && name !== ''
      ? `Missing ${place}${isExplained(issue) ? `, ${issue.message}` : ''}`
      : `Invalid value${isSecret ? '' : ` ${quote(value)}`} in ${place}, ${expectation(issue)}`;
  return [{ in: where, name, message }];
}

/** True when the schema's author wrote the message: those begin with "expected". */
function isExplained(issue: z.core.$ZodIssue): boolean {
  return issue.message.startsWith('expected');
}

function expectation(issue: z.core.$ZodIssue): string {
  if (isExplained(issue)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected}`;
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `expected at least ${issue.minimum}`;
    case 'too_big':
      return `expected at most ${issue.maximum}`;
    default:
      return 'expected something else';
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key]; // an own property of an object, of any type
  }
  return value;
}
