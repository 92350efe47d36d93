/**
 * JSON.parse that loses nothing silently: a number that a double cannot hold digit by digit (an id beyond 2^53) becomes
 * the text that was sent, and an object with the same key twice is refused instead of keeping the last value.
 *
 * @throws SyntaxError
 */
export function exactJson(text: string): unknown {
  const { source, keys } = scan(text);
  const value: unknown = JSON.parse(source);
  if (countKeys(value) !== keys) throw new SyntaxError('An object has the same key twice');
  return value;
}

/** Quotes what a double cannot hold and counts the keys: outside strings, a colon only ever follows a key. */
function scan(text: string): { source: string; keys: number } {
  const rewrite = LONG_NUMBER.test(text);
  const pieces: string[] = [];
  let keys = 0;
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const outside = text.slice(at, quote < 0 ? text.length : quote);
    for (let i = outside.indexOf(':'); i >= 0; i = outside.indexOf(':', i + 1)) keys += 1;
    const next = quote < 0 ? text.length : endOfString(text, quote);
    if (rewrite) {
      pieces.push(outside.replace(NUMBER, quoteInexact), text.slice(at + outside.length, next));
    }
    at = next;
  }
  return { source: rewrite ? pieces.join('') : text, keys };
}

/** Long numbers are rare outside strings: without one the text is parsed as it came. */
const LONG_NUMBER = /[:,[\s]-?\d[\d.eE+-]{14,}/;
const NUMBER = /-?\d[\d.eE+-]{14,}/g;

function quoteInexact(number: string): string {
  const digits = number.replace(/^-|[eE].*$|\./g, '').replace(/^0+/, '');
  return digits.length <= 15 || String(Number(number)) === number ? number : `"${number}"`;
}

function endOfString(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
  let keys = Array.isArray(value) ? 0 : children.length;
  for (const child of children) keys += countKeys(child);
  return keys;
}
