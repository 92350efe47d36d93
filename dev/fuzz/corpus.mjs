// @ts-check
/**
 * What is tried on every input. `M` stands for the request's marker, so that what reaches a database command as a key can
 * be told from what the code itself writes, and can be followed back to its request.
 * @typedef {{ family: string, text: string, json?: unknown }} Payload `json` is sent in place of the text where JSON is
 */

const comparisons = [
  ...['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'not', 'and', 'or', 'nor', 'exists', 'type'],
  ...['expr', 'regex', 'options', 'text', 'mod', 'all', 'elemMatch', 'size', 'where', 'jsonSchema'],
  ...['comment', 'rand', 'function', 'accumulator', 'near', 'geoWithin', 'bitsAllSet', 'sampleRate'],
];
const changes = ['set', 'unset', 'inc', 'push', 'pull', 'rename', 'setOnInsert', 'max', 'merge', 'out'];

/** @type {Payload[]} an operator whose name carries the marker, the true operator on a marked value, and both as text */
const operators = [...comparisons, ...changes].flatMap((name) => [
  { family: 'operator', text: `{"$${name}_M":""}`, json: { [`$${name}_M`]: '' } },
  { family: 'operator', text: `{"$${name}":"M"}`, json: { [`$${name}`]: 'M' } },
]);

/** @type {Payload[]} */
const structures = [
  { $gt: '', M: 1 },
  { 'a.b.M': 1 },
  { 'M.$': 1 },
  { 'M.$[].x': 1 },
  { '$M': { '$M': { '$M': 1 } } },
  [{ '$M': 1 }],
  [[[['M']]]],
  { _id: 'M' },
  { $oid: 'M' },
  { $date: 'M' },
  { $numberLong: 'M' },
  { $binary: { base64: 'TQ==', subType: '00' }, M: 1 },
  { $ref: 'links', $id: 'M', $db: 'admin' },
  { _bsontype: 'ObjectId', id: 'M' },
  { _bsontype: 'Code', code: 'M' },
  { toBSON: 'M' },
  { toString: 'M' },
  { valueOf: 'M' },
  { length: 1_000_000, M: 1 },
  { constructor: { prototype: { M: 1 } } },
  { prototype: { M: 1 } },
  { then: 'M' },
  { toJSON: 'M' },
  { '': 'M' },
].map((json) => ({ family: 'structure', text: JSON.stringify(json), json }));

/** @type {Record<string, string[]>} */
const texts = {
  script: [
    "';return true;var M='",
    "1;sleep(5000);//M",
    'function(){while(1);}/*M*/',
    "this.constructor.constructor('return process')().exit()//M",
    '{{7*7}}M', '${7*7}M', '#{7*7}M', '<%= 7*7 %>M', '{%M%}', '*{7*7}M', '@(7*7)M', '[[${7*7}]]M',
    "require('child_process').execSync('id')//M",
    "global.process.mainModule.require('fs')//M",
    'eval("M")', 'import("M")',
  ],
  sql: [
    "' OR '1'='1' --M", "'; DROP TABLE links;--M", "' UNION SELECT NULL,NULL--M", '" OR ""="M', "1' AND SLEEP(5)--M",
    "') OR ('M'='M", "'||(SELECT 'M')||'", "M'/**/OR/**/1=1", "1; SELECT pg_sleep(5)--M", "\\'; M--", "admin'--M", "1)) OR 1=1--M",
    "%' OR '%'='M", "' HAVING 1=1--M", "' ORDER BY 99--M", "'; EXEC xp_cmdshell('M')--",
  ],
  shell: [
    '; id #M', '| id #M', '`id`M', '$(id)M', '&& id #M', '|| id #M', '\nid\nM', '& ping -c 9 127.0.0.1 & M', '> /tmp/M', '< /etc/passwd M',
    '${IFS}M', "'; id;'M", '() { :;}; echo M', '--help M', '-rf M',
  ],
  path: [
    '../../../../etc/passwd?M', '..\\..\\windows\\win.ini?M', '....//....//M', '%2e%2e%2f/M', '..%252f..%252f/M', '/etc/passwd#M',
    'file:///etc/passwd?M', '/proc/self/environ?M', 'C:\\M', '\\\\127.0.0.1\\M', '.git/config?M', 'M/.', 'M/..', './M', '~root/M', 'M%00.json',
    'con.M', '//M', 'M;/../link', 'M?id=x#y',
  ],
  markup: [
    '<script>alert("M")</script>', '<img src=x onerror=M>', '"><svg onload=M>', 'javascript:M', "'-M-'", '<!--M-->', ']]>M', '<a href="M">',
    '</title><script>M', '<iframe src=M>', '&lt;M&gt;', '&#x3c;M', '<M/>', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///M">]><a>&b;</a>',
    '<xi:include href="M"/>', 'data:text/html,M',
  ],
  csv: ['=cmd|M', '+M', '-M', '@M', '=HYPERLINK("M")', '\t=M', '"M"",""', 'M,M\nM', '=1+1;M', "'=M"],
  header: [
    'M\r\nX-Fuzz: M', 'M\nX-Fuzz: M', 'M\rX-Fuzz: M', 'M\r\n\r\n<html>', 'M\u2028X-Fuzz: M', 'M\u560d\u560aX-Fuzz:M', 'M%0d%0aX-Fuzz:%20M',
    'M%0aX-Fuzz:M', 'M; HttpOnly', 'M, */*', 'W/"M"', '"M', 'Bearer M', 'M\x7f', 'M\x1b[31m',
  ],
  unicode: [
    'M\0', '\0M', 'M\ud800', '\udc00M', '\ud83d\ude00M', '\u202eM', '\u200fM\u200e', '\u2066M\u2069', '\ufeffM', 'M\u00a0', 'M\u0301\u0301\u0301',
    'M\u200d\u200d', 'I\u0307M', 'ſM', 'ıM', 'ﬁM', '\u{10ffff}M', '\ufffeM', '\u0085M', '\u2028M', '\u180eM', '한국어M', 'عربيM', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}M',
    'M\x08\x08', 'M\x1f', '\x00\x01\x02M',
  ],
  prototype: [
    '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'constructor.prototype.M', '__proto__.M', '__proto__[M]',
    'constructor[prototype][M]', 'valueOf', '__lookupSetter__', 'isPrototypeOf',
  ],
  value: [
    '', ' ', 'null', 'undefined', 'NaN', 'Infinity', '-Infinity', 'true', 'false', '0', '-0', '-1', '1e9', '1e309', '0x10', '0b1', '1.5', '007', '+1', '1_000',
    '9007199254740993', '18446744073709551616', '99999999999999999999999999', '1,234.5', '٣', '½', '2026-02-29', '9999-12-31', '0000-01-01', '[]', '{}', '[object Object]',
    '""', '\\', '\\u0000', '%', '%%', '%s%s%n', '*', '**', '?', '.', '..', '$', '$$', '$M', 'M.M', 'M$M',
  ],
  regex: ['(a+)+$M', '^(([a-z])+.)+[A-Z]([a-z])+$M', '.*M', '[M', '(?<M', '(?=M)', '\\p{M', `${'a'.repeat(60)}!M`, '(.*)*M', 'M{1,99999}'],
  address: [
    'http://127.0.0.1/M', 'http://169.254.169.254/latest/M', 'http://[::1]/M', 'http://0x7f.1/M', 'http://2130706433/M', 'http://localhost:6379/M', 'gopher://127.0.0.1/M',
    'http://user:pass@example.com/M', 'https://example.com@127.0.0.1/M', 'https://M.internal/', 'http://M', 'ftp://M', '//M.example', 'https://example.com/#M', 'mongodb://127.0.0.1/M',
  ],
  ldap: ['*)(uid=*))(|(uid=M', '*)(M', ')(M=*', "' or '1'='M", 'count(//M)', '//*[M]'],
};

/** Every payload, at least 200. */
export const PAYLOADS = /** @type {readonly Payload[]} */ ([
  ...operators,
  ...structures,
  ...Object.entries(texts).flatMap(([family, list]) => list.map((text) => ({ family, text }))),
]);

/**
 * A payload with the marker of its request.
 * @param {Payload} payload
 * @param {string} marker
 * @returns {{ text: string, json: unknown }}
 */
export function withMarker({ text, json }, marker) {
  // A marker stands alone or beside signs; what is part of a word is no place for it.
  const mark = (/** @type {string} */ value) => value.replaceAll(/(?<![A-Za-z])M(?![a-z])/g, marker);
  const marked = mark(text);
  return { text: marked, json: json === undefined ? marked : JSON.parse(mark(JSON.stringify(json))) };
}
