// @ts-check
import { ORIGIN } from './canaries.mjs';

/**
 * Header lines that nobody sends who means well. `%M` stands for the request's marker.
 * @type {readonly [what: string, name: string, values: readonly string[]][]} one of the values is sent
 */
export const ONE_OF = [
  [
    'an idempotency key',
    'Idempotency-Key',
    [
      '',
      ' ',
      'x'.repeat(201),
      'x'.repeat(200),
      '$where_%M',
      'a b',
      '\xff\xfe',
      'a.%M',
      '%00',
      '__proto__',
      'constructor',
    ],
  ],
  [
    'Accept',
    'Accept',
    [
      'text/html',
      'text/csv',
      'text/csv;q=0',
      'application/xml',
      '*/*;q=0',
      'text/csv, application/json;q=0.1',
      ',,,',
      'a'.repeat(2_000),
      ';q=',
      'text/csv;q=x',
      'TEXT/CSV',
      'image/*',
    ],
  ],
  [
    'Accept-Encoding',
    'Accept-Encoding',
    [
      'gzip',
      'gzip;q=0',
      '*',
      'identity;q=0',
      'br',
      ';q=0.5',
      'gzip;q=abc',
      'gzip,'.repeat(500),
      '*;q=0',
    ],
  ],
  [
    'If-None-Match',
    'If-None-Match',
    ['*', 'W/"x"', '"', '"%M"', '"a","b",*', ',', '"a",'.repeat(1_000)],
  ],
  ...['If-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'If-Range'].map(
    (name) =>
      /** @type {[string, string, string[]]} */ ([
        name,
        name,
        ['*', '"x"', 'Thu, 01 Jan 1970 00:00:00 GMT', 'never'],
      ]),
  ),
  [
    'Range',
    'Range',
    [
      'bytes=0-0',
      'bytes=-1',
      'bytes=0-,0-,0-',
      'bytes=9-1',
      'items=1',
      'bytes=99999999999999999999-',
    ],
  ],
  ['Expect', 'Expect', ['100-continue', '200-ok', '%M', '']],
  ['another method in a header', 'X-HTTP-Method-Override', ['DELETE', 'PUT', '$where']],
  [
    'Origin',
    'Origin',
    [
      ORIGIN,
      'https://%M.example',
      `${ORIGIN}.example`,
      'null',
      'file://',
      '*',
      'https://127.0.0.1',
    ],
  ],
  ['a request id', 'X-Request-Id', ['%M', '$', 'a'.repeat(1_000)]],
  [
    'content type',
    'Content-Type',
    [
      'application/json',
      'application/json; charset=utf-7',
      'application/json;',
      'application/json; charset="utf-8"',
      'application/json; boundary=x',
      'application/problem+json',
      'text/html',
      ';',
      'application/%M',
      'text/csv',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
    ],
  ],
  ['content encoding', 'Content-Encoding', ['gzip', 'deflate', 'br', 'identity, gzip', '%M']],
  [
    'a large header',
    'X-Large',
    [8_000, 15_500, 16_384, 17_000, 40_000].map((length) => 'a'.repeat(length)),
  ],
  ['upgrade', 'Upgrade', ['websocket', 'h2c', 'TLS/1.0']],
];

/** @type {Readonly<Record<string, readonly [string, string][]>>} sent beside those of the same name */
export const BESIDE = {
  Origin: [
    ['Access-Control-Request-Method', 'DELETE'],
    ['Access-Control-Request-Headers', '%M'],
  ],
  upgrade: [['Connection', 'Upgrade']],
};

/** @type {readonly [what: string, headers: readonly [string, string][]][]} all of them are sent */
export const ALL_OF = [
  [
    'two idempotency keys',
    [
      ['Idempotency-Key', '%M'],
      ['Idempotency-Key', '%M2'],
    ],
  ],
  [
    'forwarding',
    [
      ['X-Forwarded-For', '127.0.0.1, %M'],
      ['X-Forwarded-Host', '%M.example'],
      ['X-Forwarded-Proto', 'gopher'],
      ['Forwarded', 'for=_hidden'],
    ],
  ],
  [
    'another address in a header',
    [
      ['X-Original-URL', '/admin'],
      ['X-Rewrite-URL', '/admin'],
    ],
  ],
  ['cookies', [['Cookie', 'session=%M; $Version=1; __proto__=x']]],
  [
    'a header of the prototype',
    [
      ['__proto__', '%M'],
      ['constructor', '%M'],
      ['toString', '%M'],
    ],
  ],
  [
    'many headers',
    Array.from(
      { length: 900 },
      (_, index) => /** @type {[string, string]} */ ([`x-${index}`, '1']),
    ),
  ],
  ['bytes above ASCII', [['X-Odd', '\xff\xfe\x80']]],
];

export const METHODS = [
  'OPTIONS',
  'HEAD',
  'PATCH',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'LOCK',
  'M-SEARCH',
  'QUERY',
  'POST',
  'PUT',
  'DELETE',
  'GET',
];
