import type { Dimension } from '@tributary/shared';
import { wrongField } from './row-error.ts';

const VALUE_MAX = 500;

/**
 * A feed's value of a dimension in our words. Values that become one word are added up when the day is sealed.
 *
 * @throws FeedRowError naming the value and what is expected
 */
export function dimensionWord(dimension: Dimension, sent: string): string {
  const text = sent.trim().normalize('NFC');
  if (text === '' || text.length > VALUE_MAX || /\p{Cc}|\p{Surrogate}/u.test(text)) {
    throw wrongField('value', sent, `the ${dimension}, 1 to ${VALUE_MAX} characters`);
  }
  if (/^unknown$/i.test(text)) return 'unknown';
  switch (dimension) {
    case 'age':
      return ageWord(text);
    case 'gender':
      return genderWord(text);
    case 'hour':
      return hourWord(text);
    default:
      return text;
  }
}

function ageWord(text: string): string {
  const [, from, to] = /^(\d{1,3})(?:\+|\s*[-~–]\s*(\d{1,3}))$/.exec(text) ?? [];
  if (from !== undefined && to === undefined) return `${Number(from)}+`;
  if (Number(from) <= Number(to)) return `${Number(from)}-${Number(to)}`;
  throw wrongField('value', text, "an age like '25-34' or '65+', or 'unknown'");
}

const GENDERS: ReadonlyMap<string, string> = new Map([
  ['male', 'male'],
  ['m', 'male'],
  ['female', 'female'],
  ['f', 'female'],
]);

function genderWord(text: string): string {
  const word = GENDERS.get(text.toLowerCase());
  if (word === undefined) throw wrongField('value', text, "'male', 'female' or 'unknown'");
  return word;
}

function hourWord(text: string): string {
  if (!/^(\d|[01]\d|2[0-3])$/.test(text)) throw wrongField('value', text, "an hour, '00' to '23'");
  return text.padStart(2, '0');
}
