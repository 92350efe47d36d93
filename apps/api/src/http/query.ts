import type { InvalidInput } from '@tributary/shared';
import { invalidRequest } from './problem.ts';
import { quote } from './quote.ts';

const PARAMETERS_MAX = 50;

/**
 * Reads a query string into plain text values. Names are taken as they are: `id[$ne]` is one odd name, never an object.
 *
 * @param query what follows the question mark, still encoded
 * @throws ProblemError `invalid_request` for a parameter that comes twice or is not percent-encoded UTF-8
 */
export function readQuery(query: string): Record<string, string> {
  const values = new Map<string, string>();
  const errors: InvalidInput[] = [];
  const refuse = (name: string, message: string) => errors.push({ in: 'query', name, message });
  for (const [index, pair] of (query === '' ? [] : query.split('&')).entries()) {
    if (index === PARAMETERS_MAX) {
      refuse('', `More than ${PARAMETERS_MAX} query parameters`);
      break;
    }
    const cut = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const name = decode(pair.slice(0, cut));
    const value = decode(pair.slice(cut + 1));
    if (name === undefined || value === undefined) {
      refuse(name ?? pair.slice(0, cut), `Query ${quote(pair)} is not percent-encoded UTF-8`);
    } else if (values.has(name)) {
      refuse(name, `Query parameter ${quote(name)} must appear once`);
    } else {
      values.set(name, value);
    }
  }
  if (errors.length > 0) throw invalidRequest(errors);
  return Object.fromEntries(values);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
