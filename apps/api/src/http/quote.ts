const SHOWN_MAX = 100;

/** A value as it may stand in an error: in quotes, as JSON where it is no text, and cut when it is long. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  if (text.length <= SHOWN_MAX) return `'${text}'`;
  // Cut between characters: half of a surrogate pair could not be sent.
  return `'${text.slice(0, SHOWN_MAX).replace(/\p{Surrogate}$/u, '')}…'`;
}
