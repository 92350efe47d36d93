import { RetryableError } from '@tributary/runtime';
import type { z } from 'zod';
import { exactJson } from './exact-json.ts';
import type { HttpAnswer } from './http-client.ts';

/** The JSON of an answer, not yet checked; undefined when the body is no JSON (HTML, empty, cut). */
export function jsonOf(answer: HttpAnswer): unknown {
  try {
    return exactJson(answer.text);
  } catch {
    return undefined;
  }
}

/**
 * Parses an answer against the platform's shape.
 *
 * @throws RetryableError `malformed_answer`, naming the place and the value
 */
export function parseJson<T>(answer: HttpAnswer, schema: z.ZodType<T>): T {
  if (isHtml(answer)) {
    throw malformed(answer, `expected JSON, got HTML (status ${answer.status})`);
  }
  let value: unknown;
  try {
    value = exactJson(answer.text);
  } catch (cause) {
    throw malformed(
      answer,
      `not JSON (status ${answer.status}, ${answer.text.length} characters)`,
      cause,
    );
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.path ?? [];
  throw malformed(
    answer,
    `${shown(valueAt(value, path))} at '${pathText(path)}': ${issue?.message}`,
  );
}

/** True for a page of a proxy or a login instead of an answer. */
export function isHtml(answer: HttpAnswer): boolean {
  return (
    /^(text\/html|application\/xhtml)/i.test(answer.headers['content-type'] ?? '') ||
    /^\s*</.test(answer.text)
  );
}

/** An answer that is not what its documentation says: nothing of it is used. */
export function malformed(
  answer: { place: string },
  what: string,
  cause?: unknown,
): RetryableError {
  return new RetryableError('malformed_answer', `Malformed answer of ${answer.place}: ${what}`, {
    cause,
  });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
