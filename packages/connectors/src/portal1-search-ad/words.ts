import { malformedRow } from './report-row.ts';

const GENDERS: ReadonlyMap<string, string> = new Map([
  ['GNM', 'male'],
  ['GNF', 'female'],
]);

/** An age criterion in our form: AG1418 → 14-18, AG60XX → 60+, AGXXXX → unknown; another form stays as it is. */
export function ageOf(code: string): string {
  const match = /^AG(\d\d|XX)(\d\d|XX)$/.exec(code);
  if (!match) return code;
  const [, from = '', to = ''] = match;
  if (from === 'XX' && to === 'XX') return 'unknown';
  if (to === 'XX') return `${Number(from)}+`;
  return `${from === 'XX' ? 0 : Number(from)}-${Number(to)}`;
}

/** GNM, GNF; whatever else the platform says of a gender is that it does not know it. */
export function genderOf(code: string): string {
  return GENDERS.get(code) ?? 'unknown';
}

export function deviceOf(code: string): string {
  if (code === 'P') return 'desktop';
  if (code === 'M') return 'mobile';
  return isNone(code) ? 'unknown' : 'other';
}

/** undefined = attributed to no hour. */
export function hourOf(text: string): string | undefined {
  if (isNone(text)) return undefined;
  const hour = /^(?:[01]?\d|2[0-3])$/.test(text) ? text.padStart(2, '0') : undefined;
  if (hour === undefined) throw malformedRow('AD_DETAIL', 'hour', text, '00 to 23');
  return hour;
}

/**
 * A region's name, or its code where the platform names none; undefined = attributed to none. `-1` is its word for not
 * knowing, `0` and `00` are both abroad.
 */
export function regionOf(code: string, names: ReadonlyMap<string, string>): string | undefined {
  if (isNone(code)) return undefined;
  if (code === '-1') return 'unknown';
  if (code !== '0' && code !== '00') return names.get(code) ?? code;
  return names.get('00') ?? names.get('0') ?? '00';
}

/** The platform's way to leave a column empty. */
export function isNone(value: string): boolean {
  return value === '' || value === '-';
}
