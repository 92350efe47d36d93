// @ts-check
import { ORIGIN } from './canaries.mjs';

/**
 * Tricks with the headers and the method of a request.
 * @param {import('./hostile.mjs').Attack} attack
 * @returns {import('./hostile.mjs').Change}
 */
export function hostileHeaders({ draft, random, marker, key }) {
  const half = key.slice(0, -1);
  /** @type {[string, [string, string][]][]} */
  const sets = [
    ['an operator as the key', [['X-API-Key', `{"$ne":"${marker}"}`]]],
    ['a cut key', [['Authorization', `Bearer ${half}`]]],
    ['a changed key', [['Authorization', `Bearer ${half}${key.endsWith('a') ? 'b' : 'a'}`]]],
    ['a key of another case', [['Authorization', `Bearer ${key.toUpperCase()}`]]],
    [
      'two keys',
      [
        ['Authorization', `Bearer ${key}`],
        ['X-API-Key', `trb_${marker}`],
      ],
    ],
    [
      'a key twice',
      [
        ['X-API-Key', key],
        ['X-API-Key', key],
      ],
    ],
    [
      'another scheme',
      [
        [
          'Authorization',
          random.pick([
            `Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
            key,
            'Bearer',
            'Bearer ',
            `Bearer ${key} ${key}`,
            `bearer   ${key}`,
            'Digest x',
          ]),
        ],
      ],
    ],
    ['a long key', [['Authorization', `Bearer trb_${'a'.repeat(random.pick([500, 8_000]))}`]]],
    [
      'an idempotency key',
      [
        [
          'Idempotency-Key',
          random.pick([
            '',
            ' ',
            'x'.repeat(201),
            'x'.repeat(200),
            `$where_${marker}`,
            'a b',
            '\xff\xfe',
            `a.${marker}`,
            '%00',
            '__proto__',
            'constructor',
          ]),
        ],
      ],
    ],
    [
      'two idempotency keys',
      [
        ['Idempotency-Key', marker],
        ['Idempotency-Key', `${marker}2`],
      ],
    ],
    [
      'Accept',
      [
        [
          'Accept',
          random.pick([
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
          ]),
        ],
      ],
    ],
    [
      'Accept-Encoding',
      [
        [
          'Accept-Encoding',
          random.pick([
            'gzip',
            'gzip;q=0',
            '*',
            'identity;q=0',
            'br',
            ';q=0.5',
            'gzip;q=abc',
            `${'gzip,'.repeat(500)}`,
            '*;q=0',
          ]),
        ],
      ],
    ],
    [
      'If-None-Match',
      [
        [
          'If-None-Match',
          random.pick([
            '*',
            'W/"x"',
            '"',
            `"${marker}"`,
            '"a","b",*',
            ',',
            `${'"a",'.repeat(1_000)}`,
          ]),
        ],
      ],
    ],
    [
      'conditions',
      [
        [
          random.pick(['If-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'If-Range']),
          random.pick(['*', '"x"', 'Thu, 01 Jan 1970 00:00:00 GMT', 'never']),
        ],
      ],
    ],
    [
      'Range',
      [
        [
          'Range',
          random.pick([
            'bytes=0-0',
            'bytes=-1',
            'bytes=0-,0-,0-',
            'bytes=9-1',
            'items=1',
            'bytes=99999999999999999999-',
          ]),
        ],
      ],
    ],
    ['Expect', [['Expect', random.pick(['100-continue', '200-ok', marker, ''])]]],
    [
      'forwarding',
      [
        ['X-Forwarded-For', `127.0.0.1, ${marker}`],
        ['X-Forwarded-Host', `${marker}.example`],
        ['X-Forwarded-Proto', 'gopher'],
        ['Forwarded', 'for=_hidden'],
      ],
    ],
    [
      'another method in a header',
      [['X-HTTP-Method-Override', random.pick(['DELETE', 'PUT', '$where'])]],
    ],
    [
      'another address in a header',
      [
        ['X-Original-URL', '/admin'],
        ['X-Rewrite-URL', '/admin'],
      ],
    ],
    [
      'Origin',
      [
        [
          'Origin',
          random.pick([
            ORIGIN,
            `https://${marker}.example`,
            `${ORIGIN}.example`,
            'null',
            'file://',
            '*',
            'https://127.0.0.1',
          ]),
        ],
        ['Access-Control-Request-Method', 'DELETE'],
        ['Access-Control-Request-Headers', marker],
      ],
    ],
    ['a request id', [['X-Request-Id', random.pick([marker, '$', 'a'.repeat(1_000)])]]],
    [
      'content type',
      [
        [
          'Content-Type',
          random.pick([
            'application/json',
            'application/json; charset=utf-7',
            'application/json;',
            'application/json; charset="utf-8"',
            'application/json; boundary=x',
            'application/problem+json',
            'text/html',
            ';',
            `application/${marker}`,
            'text/csv',
            'multipart/form-data; boundary=x',
            'application/x-www-form-urlencoded',
          ]),
        ],
      ],
    ],
    [
      'content encoding',
      [['Content-Encoding', random.pick(['gzip', 'deflate', 'br', 'identity, gzip', marker])]],
    ],
    [
      'upgrade',
      [
        ['Connection', 'Upgrade'],
        ['Upgrade', random.pick(['websocket', 'h2c', 'TLS/1.0'])],
      ],
    ],
    ['cookies', [['Cookie', `session=${marker}; $Version=1; __proto__=x`]]],
    [
      'a header of the prototype',
      [
        ['__proto__', marker],
        ['constructor', marker],
        ['toString', marker],
      ],
    ],
    [
      'many headers',
      Array.from(
        { length: 900 },
        (_, index) => /** @type {[string, string]} */ ([`x-${index}`, '1']),
      ),
    ],
    [
      'a large header',
      [['X-Large', 'a'.repeat(random.pick([8_000, 15_500, 16_384, 17_000, 40_000]))]],
    ],
    ['bytes above ASCII', [['X-Odd', '\xff\xfe\x80']]],
  ];
  const [what, headers] = random.pick(sets);
  const isKey = /key|scheme/.test(what) && !what.includes('idempotency');
  const replaced = new Set(headers.map(([name]) => name));
  const kept = draft.headers.filter(([name]) => !replaced.has(name));
  if (random.chance(0.2)) {
    const method = random.pick([
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
    ]);
    return {
      what: `${method}, and headers: ${what}`,
      method,
      headers: [...kept, ...headers],
      isAlone: what === 'a large header',
    };
  }
  return {
    what: `headers: ${what}`,
    headers: [...kept, ...headers],
    caller: isKey ? 'nobody' : draft.caller,
    isAlone: ['a large header', 'many headers', 'upgrade', 'Expect'].includes(what),
  };
}
