import { z } from 'zod';

/**
 * Text as a client sends it: at most `max` Unicode characters, without NUL and without lone surrogates (neither can be
 * stored and read back unchanged everywhere). Messages complete "Invalid value '…' in …,".
 */
export function text(max: number) {
  return z
    .string()
    .refine((value) => !value.includes('\0') && !/\p{Surrogate}/u.test(value), {
      error: 'expected text without NUL or lone surrogates',
      abort: true,
    })
    .refine((value) => value.length <= max || Array.from(value).length <= max, {
      error: `expected at most ${max} characters`,
    })
    .meta({ maxLength: max });
}

/** {@link text} that says something after trimming; stored as sent. */
export function filledText(max: number) {
  return text(max).refine((value) => value.trim() !== '', { error: 'expected text, not blank' });
}

/** {@link text} whose blank forms all mean the empty one. */
export function blankableText(max: number) {
  return text(max).transform((value) => (value.trim() === '' ? '' : value));
}
