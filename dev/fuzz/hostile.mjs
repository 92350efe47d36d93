// @ts-check
import { gzipSync } from 'node:zlib';
import { hostileAddress } from './hostile-address.mjs';
import { hostileHeaders } from './hostile-headers.mjs';
import { hostileWire } from './hostile-wire.mjs';
import { finish, isObject } from './requests.mjs';

/**
 * @typedef {import('./requests.mjs').Draft} Draft
 * @typedef {import('./requests.mjs').Request} Request
 * @typedef {import('./random.mjs').Random} Random
 * @typedef {{ draft: Draft, random: Random, marker: string, pools: { own: import('./values.mjs').Pools, foreign: import('./values.mjs').Pools }, foreignPages: import('./next-pages.mjs').NextPages, host: string, key: string }} Attack
 * @typedef {{ what: string } & Partial<Request>} Change what becomes of a finished request
 */

/**
 * A request that somebody sends who means harm.
 * @param {Attack} attack
 * @param {{ index: number, kind: string }} about
 * @returns {Request}
 */
export function hostileRequest(attack, about) {
  const ways = [hostileAddress, hostileHeaders, foreignIds];
  if (attack.draft.operation.bodies) ways.push(hostileBody, hostileBody);
  if (attack.random.chance(0.12)) ways.splice(0, ways.length, hostileWire);
  const { what, ...change } = attack.random.pick(ways)(attack);
  return finish(attack.draft, { ...about, what }, { stored: undefined, ...change });
}

/**
 * What belongs to somebody else, and cursors that nobody was given.
 * @param {Attack} attack
 * @returns {Change}
 */
function foreignIds({ draft, random, pools, marker, foreignPages }) {
  const page = foreignPages.get(draft.operation.name);
  if (page && random.chance(0.4)) {
    draft.query = page.map(([name, value]) => [
      name,
      name === 'id' && random.chance(0.5) ? String(random.pick(pools.own.id ?? ['x'])) : value,
    ]);
    return { what: 'a cursor of somebody else' };
  }
  const ids = /** @type {readonly string[]} */ (pools.foreign.id ?? []);
  for (const pair of draft.query) if (pair[0] === 'id') pair[1] = random.pick(ids);
  if ('run' in draft.path) draft.path.run = String(random.pick(pools.foreign.run ?? ['x']));
  if (isObject(draft.body) && 'id' in draft.body) draft.body = { id: random.pick(ids) };
  if (draft.operation.parameters.some(({ name }) => name === 'cursor')) {
    const forged = [
      'x',
      'W10',
      '',
      'null',
      '[]',
      `["${marker}","campaign","","1"]`,
      '["x",0,0]',
      '[0,0,0]',
      '["x",-1,0]',
      '["x",1e309,0]',
      '["x",9007199254740993,99]',
      `{"$gt":"${marker}"}`,
      `{"__proto__":{"${marker}":1}}`,
      JSON.stringify([random.pick(ids), 'campaign', '', '2001']),
      JSON.stringify([random.pick(pools.own.id ?? ['x']), 'campaign', '', `${marker}\0`]),
    ];
    const text = random.pick(forged);
    draft.query = draft.query.filter(([name]) => name !== 'cursor');
    draft.query.push([
      'cursor',
      random.chance(0.7) ? Buffer.from(text).toString('base64url') : text,
    ]);
  }
  return { what: 'ids and cursors of somebody else' };
}

/**
 * @param {Attack} attack
 * @returns {Change}
 */
function hostileBody({ draft, random, marker }) {
  const good = JSON.stringify(draft.body ?? {});
  const fields = good.startsWith('{') ? good.slice(1) : `"x":1}`;
  const comma = fields === '}' ? '' : ',';
  const [first = 'x'] = isObject(draft.body) ? Object.keys(draft.body) : [];
  const depth = random.pick([31, 32, 33, 1_000, 10_000]);
  /** @type {[string, string | Buffer][]} */
  const bodies = [
    [
      'operators as keys',
      `{"$where_${marker}":"1","$gt_${marker}":"",${fields}`.replace(',}', '}'),
    ],
    ['a dotted key', `{"a.${marker}":1${comma}${fields}`],
    ['__proto__', `{"__proto__":{"${marker}":true}${comma}${fields}`],
    ['an escaped __proto__', `{"\\u005f_proto__":{"${marker}":true}${comma}${fields}`],
    ['constructor', `{"constructor":{"prototype":{"${marker}":true}}${comma}${fields}`],
    ['deep arrays', `{"${first}":${'['.repeat(depth)}${']'.repeat(depth)}}`],
    ['deep objects', `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
    ['deep and open', '['.repeat(depth)],
    ['a key twice', `{"${first}":1${comma}${fields}`],
    [
      'a key twice, once escaped',
      `{"\\u00${first.charCodeAt(0).toString(16)}${first.slice(1)}":1${comma}${fields}`,
    ],
    ['a huge integer', `{"${first}":${'9'.repeat(random.pick([20, 400, 20_000]))}}`],
    ['a huge exponent', `{"${first}":1e${'9'.repeat(random.pick([3, 9, 400]))}}`],
    ['a lone surrogate', `{"${first}":"\\ud800"}`],
    ['NUL', `{"${first}":"a\\u0000b"}`],
    ['a raw control character', `{"${first}":"a\u0001b"}`],
    [
      'bytes that are no UTF-8',
      Buffer.concat([
        Buffer.from(`{"${first}":"`),
        Buffer.from([0xc0, 0xae, 0xff]),
        Buffer.from('"}'),
      ]),
    ],
    ['UTF-16', Buffer.from(good, 'utf16le')],
    ['a byte order mark', `\ufeff${good}`],
    ['gzip', gzipSync(good)],
    ['many keys', `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['many equal strings', `{"${first}":[${'"a",'.repeat(10_000)}"a"]}`],
    ['backslashes', `{"${first}":"${'\\\\'.repeat(30_000)}"}`],
    ['quotes that stay open', `{"${first}":"${'a'.repeat(60_000)}`],
    ['just the limit', good.padEnd(64 * 1024, ' ')],
    ['just above the limit', good.padEnd(64 * 1024 + 1, ' ')],
    ['white space alone', ' \n\t'],
    ['nothing', ''],
    [
      'a scalar',
      random.pick([
        'null',
        'true',
        '0',
        '""',
        '[]',
        '"text"',
        '-',
        'NaN',
        'undefined',
        "{'a':1}",
        '{"a":1,}',
        '//x',
        good + good,
      ]),
    ],
  ];
  const [what, text] = random.pick(bodies);
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  if (what === 'gzip' && random.chance(0.7))
    draft.headers.push(['Content-Encoding', random.pick(['gzip', 'br', 'GZIP', 'identity'])]);
  return { what: `body: ${what}`, body };
}
