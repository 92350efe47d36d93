import { quote } from './quote.ts';

const DEPTH_MAX = 32;

/** The text is no JSON that we take; the message says what and where. */
export class StrictJsonError extends Error {
  /** The key at fault; '' when the text as a whole is. */
  readonly key: string;

  constructor(message: string, key = '') {
    super(message);
    this.name = 'StrictJsonError';
    this.key = key;
  }
}

/**
 * Parses JSON and refuses what `JSON.parse` lets pass silently: a key twice in one object (the last would win), the key
 * `__proto__`, and nesting deeper than 32.
 *
 * @throws StrictJsonError
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError('The body is not valid JSON');
  }
  checkKeys(text);
  return value;
}

/** A string, a bracket, or what separates: enough to follow the structure of text that is known to be valid JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** Walks valid JSON once. A string before a colon is a key of the innermost object. */
function checkKeys(text: string): void {
  const open: Set<string>[] = [];
  let candidate: string | undefined;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      open.push(new Set());
      if (open.length > DEPTH_MAX) {
        throw new StrictJsonError(`The body is nested deeper than ${DEPTH_MAX}`);
      }
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token === ':' && candidate !== undefined) {
      addKey(open.at(-1), JSON.parse(candidate) as string); // a JSON string parses to a string
    }
    candidate = token.startsWith('"') ? token : undefined;
  }
}

function addKey(keys: Set<string> | undefined, key: string): void {
  if (key === '__proto__') throw new StrictJsonError("The key '__proto__' is not allowed", key);
  if (keys?.has(key)) {
    throw new StrictJsonError(`The key ${quote(key)} appears twice in one object`, key);
  }
  keys?.add(key);
}
