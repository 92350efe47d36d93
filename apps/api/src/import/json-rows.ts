import { exactJson } from '@tributary/connectors';
import { invalidFile, ROW_LENGTH_MAX, type SourceRow, type SourceText } from './source-row.ts';

/** A bare array, or an object whose one field is the array, as a feed's pages are. */
const HEAD = /^\s*(?:\[|(\{)\s*"(?:rows|days)"\s*:\s*\[)/;
const HEAD_LENGTH_MAX = 1_000;
const DEPTH_MAX = 32;

/**
 * The elements of a JSON array, one by one: the brackets, commas and strings of the text are followed as it comes, and each
 * element is parsed alone, keeping every digit. A parser for whole documents would hold them whole, or hand numbers over
 * as binary fractions.
 *
 * @throws ProblemError `invalid_request` for what is no such JSON, also when it ends too early
 */
export async function* readJsonRows(text: SourceText): AsyncGenerator<SourceRow> {
  const splitter = createSplitter();
  let number = 0;
  for await (const piece of text) {
    for (const element of splitter.push(piece)) {
      number += 1;
      yield { number, value: parseElement(element, number) };
    }
  }
  splitter.end();
}

function parseElement(element: string, number: number): unknown {
  try {
    return exactJson(element);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const reason = error.message.includes('same key') ? error.message : 'It is not valid JSON';
    throw invalidFile(`Row ${number} cannot be read: ${reason}`);
  }
}

/** Follows the text from its head over the elements to its tail. */
export function createSplitter() {
  let phase: 'head' | 'elements' | 'tail' = 'head';
  let text = '';
  /** Where to go on in `text`. */
  let at = 0;
  /** Where the element under way begins; -1 between elements. */
  let start = -1;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let afterComma = false;
  let count = 0;
  let closing = '';

  function readHead(): void {
    const head = HEAD.exec(text);
    if (head) {
      phase = 'elements';
      at = head[0].length;
      closing = head[1] ? '}' : '';
    } else if (text.length > HEAD_LENGTH_MAX) throw noArray();
  }

  /** The element that ends before the next comma or the closing bracket; undefined = it goes on in the next piece. */
  function nextElement(): string | undefined {
    for (; at < text.length; at += 1) {
      const character = text.charCodeAt(at);
      if (isInString) followString(character);
      else if (depth === 0 && (character === COMMA || character === CLOSE_BRACKET)) {
        return takeElement(character);
      } else follow(character);
    }
    if (start >= 0 && at - start > ROW_LENGTH_MAX) {
      throw invalidFile(`Row ${count + 1} has more than ${ROW_LENGTH_MAX} characters`);
    }
    return undefined;
  }

  function followString(character: number): void {
    if (isEscaped) isEscaped = false;
    else if (character === BACKSLASH) isEscaped = true;
    else if (character === QUOTE) isInString = false;
  }

  function follow(character: number): void {
    if (isSpace(character)) return;
    if (start < 0) start = at;
    if (character === QUOTE) isInString = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) depth += 1;
    else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth -= 1;
    if (depth < 0) throw invalidFile(`The body is not valid JSON at row ${count + 1}`);
    if (depth > DEPTH_MAX) {
      throw invalidFile(`Row ${count + 1} is nested deeper than ${DEPTH_MAX}`);
    }
  }

  function takeElement(character: number): string | undefined {
    const isLast = character === CLOSE_BRACKET;
    const element = start < 0 ? '' : text.slice(start, at);
    at += 1;
    start = -1;
    const isEmptyArray = isLast && count === 0 && !afterComma;
    afterComma = !isLast;
    if (isLast) phase = 'tail';
    if (element === '' && !isEmptyArray) {
      throw invalidFile(`The body is not valid JSON: row ${count + 1} is empty`);
    }
    if (element === '') return undefined;
    count += 1;
    return element;
  }

  return {
    *push(piece: string): Generator<string> {
      const from = start < 0 ? at : start;
      text = text.slice(from) + piece;
      at -= from;
      start = start < 0 ? -1 : 0;
      if (phase === 'head') readHead();
      while (phase === 'elements') {
        const element = nextElement();
        if (element === undefined) break;
        yield element;
      }
      if (phase !== 'tail') return;
      text = text.slice(at).trim();
      at = 0;
      if (!closing.startsWith(text)) throw invalidFile('The body goes on after its rows');
    },
    /** The whole text was pushed. */
    end(): void {
      if (phase === 'head') throw noArray();
      if (phase !== 'tail' || text !== closing) {
        throw invalidFile(`The body ends too early, after ${count} rows: nothing is stored`);
      }
    },
  };
}

function noArray() {
  return invalidFile('The body is no JSON array of rows, {"rows":[…]} or {"days":[…]}');
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

function isSpace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}
