/** One row of a feed or an import that cannot be taken: which field, and a sentence with its value. */
export class FeedRowError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'FeedRowError';
    this.field = field;
  }
}

/** A row's field that holds something else than it should. */
export function wrongField(field: string, value: unknown, expected: string): FeedRowError {
  if (value === undefined) return new FeedRowError(field, `Missing ${field}, expected ${expected}`);
  return new FeedRowError(field, `Invalid value ${shown(value)} in ${field}, expected ${expected}`);
}

const SHOWN_MAX = 80;

function shown(value: unknown): string {
  const isPlain = typeof value === 'string' || typeof value === 'number';
  const text = isPlain ? String(value) : (JSON.stringify(value) ?? String(value));
  if (text.length <= SHOWN_MAX) return `'${text}'`;
  // Cut between characters: half of a surrogate pair could not be sent.
  return `'${text.slice(0, SHOWN_MAX).replace(/\p{Surrogate}$/u, '')}…'`;
}
