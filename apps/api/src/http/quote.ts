const SHOWN_MAX = 100;

/** A value as it may stand in an error: in quotes, as JSON where it is no text, and cut when it is long. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const shown = [...text.slice(0, SHOWN_MAX + 1)];
  return shown.length > SHOWN_MAX ? `'${shown.slice(0, SHOWN_MAX).join('')}…'` : `'${text}'`;
}
