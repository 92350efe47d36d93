// @ts-check
import { targetOf } from './requests.mjs';

/**
 * Tricks with the address of a request.
 * @param {import('./hostile.mjs').Attack} attack
 * @returns {import('./hostile.mjs').Change}
 */
export function hostileAddress({ draft, random, marker, host }) {
  const target = targetOf(draft);
  const cut = target.includes('?') ? target.indexOf('?') : target.length;
  const [path, query] = [target.slice(0, cut), target.slice(cut)];
  const sign = query === '' ? '?' : '&';
  const last = path.lastIndexOf('/');
  const [name] = draft.query[0] ?? ['id'];
  /** @type {[string, string][]} */
  const targets = [
    ['operator in brackets', `${target}${sign}${name}[$ne_${marker}]=`],
    ['operator in brackets alone', `${path}?${name}[$gt_${marker}]=&${name}[$where_${marker}]=1`],
    ['$where', `${target}${sign}$where=${marker}`],
    [
      'prototype in brackets',
      `${target}${sign}__proto__[${marker}]=1&constructor[prototype][${marker}]=1`,
    ],
    ['dotted name', `${target}${sign}a.b.${marker}=1`],
    ['no UTF-8', `${target}${sign}x=%ff%fe`],
    ['half an escape', `${target}${sign}x=%`],
    ['half an escape in the path', `${path}%${query}`],
    ['escape of nothing', `${path}/%zz${query}`],
    ['overlong slash', `${path.slice(0, last)}%c0%af${path.slice(last + 1)}${query}`],
    ['NUL in the path', `${path}%00${query}`],
    ['NUL in a name', `${target}${sign}a%00b=1`],
    ['line end in the path', `${path}%0d%0aX-Fuzz:%20${marker}${query}`],
    ['line end in a value', `${target}${sign}x=%0d%0aX-Fuzz:${marker}`],
    ['two slashes', `/${target}`],
    ['two slashes within', `${path.slice(0, last)}/${path.slice(last)}${query}`],
    ['dots', `/link/..${target}`],
    ['dots at the end', `${path}/..${query}`],
    ['escaped dots', `/link/%2e%2e${target}`],
    ['escaped slash', `${path.slice(0, last)}%2f${path.slice(last + 1)}${query}`],
    ['one letter escaped', `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}${query}`],
    ['upper case', `${path.toUpperCase()}${query}`],
    ['slash at the end', `${path}/${query}`],
    ['backslash', `${path.replaceAll('/', '\\')}${query}`],
    ['semicolon', `${path};a=1${query}`],
    ['fragment', `${target}#x`],
    ['two question marks', `${target}?x=1`],
    ['empty pairs', `${path}?&&&${query.slice(1)}&&`],
    ['no equals sign', `${target}${sign}x`],
    [
      'many names',
      `${path}?${Array.from({ length: 1_000 }, (_, index) => `p${index}=`).join('&')}`,
    ],
    [
      'a long address',
      `${target}${sign}x=${'a'.repeat(random.pick([7_000, 8_100, 8_192, 9_000, 15_000]))}`,
    ],
    ['a long path', `/${'a/'.repeat(random.pick([100, 2_000, 4_000]))}`],
    ['absolute form', `http://${host}${target}`],
    ['absolute form of another host', `http://${marker}.example${target}`],
    ['raw bytes', `${target}${sign}x=\xff\xfe`],
    [
      'a page',
      random.pick([
        '/',
        '/docs',
        '/openapi.json',
        '/docs/',
        '/openapi.json?x=1',
        '/openapi.yaml',
        '/favicon.ico',
        '/robots.txt',
      ]),
    ],
    [
      'what others have',
      random.pick([
        '/admin',
        '/metrics',
        '/queues',
        '/livez',
        '/readyz',
        '/.env',
        '/.git/config',
        '/wp-login.php',
        '/graphql',
        '/server-status',
        '/actuator/env',
        '/debug/pprof',
      ]),
    ],
  ];
  const [what, changed] = random.pick(targets);
  return { what: `address: ${what}`, target: changed };
}
