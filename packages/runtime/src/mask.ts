const MASK = '[masked]';
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Names whose value is a secret wherever they stand: in a header, a query, JSON or a sentence. */
const SECRET_NAME =
  '[\\w-]*(?:token|secret|passw(?:or)?d|passwd|pwd|passphrase|api[_-]?key|access[_-]?key|' +
  'private[_-]?key|customer[_-]?key|licen[cs]e[_-]?key|authorization|signature|credential|cookie|session)[\\w-]*';
const VALUE = '(?:"(?:[^"\\\\]|\\\\.)*"|\'[^\']*\'|[^\\s"\'&,;)}\\]]+)';

const NAMED = new RegExp(
  // Not the name of an error's class, whose message begins with a word of its own.
  `(\\b${SECRET_NAME}(?<!Error)["'\\\\]{0,3}\\s{0,3}[:=]\\s{0,3}\\\\?)(?:(?:Bearer|Basic)\\s+)?${VALUE}`,
  'gi',
);
const SCHEME = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;
const USERINFO = /(\b[a-z][a-z\d+.-]{1,20}:\/\/)[^\s/@]*@/gi;
const QUERY = /(\bhttps?:\/\/[^\s?#"']+\?)[^\s#"']+/gi;
const JWT = /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g;
const OPAQUE = /[\w+=-]{32,}/g;

const TEXT_MAX = 8000;

/**
 * Hides what looks like a secret in a text: values beside a telling name, authorization schemes, passwords and queries
 * of addresses, signed tokens, API keys and every unbroken run of 32 or more letters and digits but a UUID. What is
 * longer than 8,000 characters is cut.
 */
export function maskSecrets(text: string): string {
  return text
    .slice(0, TEXT_MAX)
    .replace(USERINFO, `$1${MASK}@`)
    .replace(QUERY, `$1${MASK}`)
    .replace(NAMED, `$1${MASK}`)
    .replace(SCHEME, `$1 ${MASK}`)
    .replace(JWT, MASK)
    .replace(OPAQUE, (run) =>
      /\d/.test(run) && /[A-Za-z]/.test(run) && !UUID.test(run) ? MASK : run,
    );
}
