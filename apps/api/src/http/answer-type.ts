import { readWeighted, type Weighted } from './accept.ts';
import { ProblemError } from './problem.ts';
import { quote } from './quote.ts';

/** What an answer can be sent as; the first one is what everybody gets who has no preference. */
const ANSWER_TYPES = ['application/json', 'text/csv'] as const;
export type AnswerType = (typeof ANSWER_TYPES)[number];

/** How much a client wants a type, and how narrowly it named it: in full, by the half before the slash, or by a star. */
interface Wish {
  weight: number;
  narrowness: number;
}

/**
 * The type that a client wants most (RFC 9110, 12.5.1). Of equal weights the one named in full counts, so that
 * `text/csv, *\/*` means a table; JSON otherwise, so that a browser and a client without a preference get what they
 * always got. Parameters but the weight are not looked at.
 *
 * @throws ProblemError `not_acceptable` when the client takes neither
 */
export function chooseAnswerType(accept: string | undefined): AnswerType {
  if (accept === undefined || accept.trim() === '') return 'application/json';
  const ranges = readWeighted(accept).map(asMediaRange);
  const [json, csv] = [wishFor('application', 'json', ranges), wishFor('text', 'csv', ranges)];
  if (json.weight === 0 && csv.weight === 0) {
    const offered = ANSWER_TYPES.join(' and ');
    throw new ProblemError(
      'not_acceptable',
      `Nothing fits the header Accept: ${quote(accept)}; offered are ${offered}`,
      { headers: { Vary: 'Accept' } },
    );
  }
  const difference = csv.weight - json.weight || named(csv) - named(json);
  return difference > 0 ? 'text/csv' : 'application/json';
}

/** Old clients write a lone star for every type. */
function asMediaRange({ name, weight }: Weighted): Weighted {
  return { name: name === '*' ? '*/*' : name, weight };
}

const IN_FULL = 3;

/** The narrowest range that covers the type decides, whatever the wider ones say. */
function wishFor(kind: string, subtype: string, ranges: readonly Weighted[]): Wish {
  const names = ['*/*', `${kind}/*`, `${kind}/${subtype}`];
  const wish: Wish = { weight: 0, narrowness: 0 };
  for (const { name, weight } of ranges) {
    const narrowness = names.indexOf(name) + 1;
    if (narrowness === 0 || narrowness < wish.narrowness) continue;
    wish.weight = narrowness === wish.narrowness ? Math.max(wish.weight, weight) : weight;
    wish.narrowness = narrowness;
  }
  return wish;
}

function named({ narrowness }: Wish): number {
  return narrowness === IN_FULL ? 1 : 0;
}
