import type { Route } from './define-route.ts';
import { ProblemError } from './problem.ts';

/** The strong tags that an `If-Match` header names (RFC 9110, 13.1.1); undefined where everything fits. */
export function readIfMatch(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return header.split(',').flatMap((tag) => /^\s*"([^"]*)"\s*$/.exec(tag)?.[1] ?? []);
}

/** Whether a route can look at the version of what it changes. */
export function takesIfMatch({ versioned, method }: Pick<Route, 'versioned' | 'method'>): boolean {
  return versioned === true && method !== 'POST';
}

/** The refusal of a change to what the client has not seen in its present form. */
export function preconditionFailed(message: string): ProblemError {
  return new ProblemError('precondition_failed', message);
}
