import { AppError } from '@tributary/runtime';
import { type InvalidInput, PROBLEMS, type Problem, type ProblemCode } from '@tributary/shared';

/** An error that is told to the client as it stands: a word of the problem table, and a sentence. */
export class ProblemError extends AppError {
  readonly problem: ProblemCode;
  readonly errors: readonly InvalidInput[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    problem: ProblemCode,
    detail: string,
    options: { errors?: readonly InvalidInput[]; headers?: Record<string, string> } = {},
  ) {
    super(problem, detail);
    this.problem = problem;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
  }
}

/** A request that does not fit: `detail` names the first mistake, `errors` all of them. */
export function invalidRequest(errors: readonly InvalidInput[]): ProblemError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new ProblemError('invalid_request', `${first?.message ?? 'Invalid request'}${more}`, {
    errors,
  });
}

const INTERNAL = new ProblemError(
  'internal',
  'The request could not be answered. The fault is not in the request.',
);

/** What a thrown value is to the client: a problem as it stands, anything else an error that says nothing internal. */
export function problemOf(thrown: unknown): ProblemError {
  return thrown instanceof ProblemError ? thrown : INTERNAL;
}

/** The RFC 9457 body of a problem. */
export function problemBody({ problem, message, errors }: ProblemError, requestId: string): string {
  const { status, title } = PROBLEMS[problem];
  const body: Problem = {
    type: `urn:tributary:problem:${problem}`,
    title,
    status,
    detail: message,
    code: problem,
    requestId,
    errors: [...errors],
  };
  return JSON.stringify(body);
}
