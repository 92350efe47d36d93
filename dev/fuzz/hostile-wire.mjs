// @ts-check
/**
 * What breaks the rules of HTTP itself. Each has a connection of its own.
 * @param {import('./hostile.mjs').Attack} attack
 * @returns {import('./hostile.mjs').Change}
 */
export function hostileWire({ random, marker, host, key }) {
  const own = `Host: ${host}\r\nAuthorization: Bearer ${key}\r\n`;
  const json = `${own}Content-Type: application/json\r\n`;
  const chunked = `POST /comment HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n`;
  /** @type {[string, string][]} */
  const raws = [
    ['no host', `GET /link HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`],
    ['two hosts', `GET /link HTTP/1.1\r\n${own}Host: ${marker}.example\r\n\r\n`],
    [
      'a host that is none',
      `GET /link HTTP/1.1\r\nHost: @[:/${marker}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    ],
    ['HTTP/1.0', `GET /link HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`],
    ['HTTP/0.9', 'GET /link\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/3.7', `GET /link HTTP/3.7\r\n${own}\r\n`],
    ['lower case', `get /link HTTP/1.1\r\n${own}\r\n`],
    ['a method that is none', `${marker.toUpperCase()} /link HTTP/1.1\r\n${own}\r\n`],
    ['CONNECT', `CONNECT ${marker}.example:443 HTTP/1.1\r\n${own}\r\n`],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${own}\r\n`],
    ['an asterisk to GET', `GET * HTTP/1.1\r\n${own}\r\n`],
    ['no slash', `GET link HTTP/1.1\r\n${own}\r\n`],
    ['an address that is none', `GET http:///:x HTTP/1.1\r\n${own}\r\n`],
    ['a space in the address', `GET /link ?x=${marker} HTTP/1.1\r\n${own}\r\n`],
    ['line feeds alone', `GET /link HTTP/1.1\n${own.replaceAll('\r', '')}\n`],
    ['a folded header', `GET /link HTTP/1.1\r\n${own}X-Odd: a\r\n b\r\n\r\n`],
    ['a header without a name', `GET /link HTTP/1.1\r\n${own}: x\r\n\r\n`],
    ['a space before the colon', `GET /link HTTP/1.1\r\n${own}X-Odd : x\r\n\r\n`],
    ['NUL in a header', `GET /link HTTP/1.1\r\n${own}X-Odd: a\0b\r\n\r\n`],
    [
      'two lengths',
      `POST /comment HTTP/1.1\r\n${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
    ],
    ['a length below nothing', `POST /comment HTTP/1.1\r\n${json}Content-Length: -1\r\n\r\n`],
    [
      'a length that is no number',
      `POST /comment HTTP/1.1\r\n${json}Content-Length: 0x2\r\n\r\n{}`,
    ],
    [
      'a length beyond all bounds',
      `POST /comment HTTP/1.1\r\n${json}Content-Length: ${'9'.repeat(30)}\r\n\r\n{}`,
    ],
    [
      'length and chunks',
      `POST /comment HTTP/1.1\r\n${json}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /link HTTP/1.1\r\n${own}\r\n`,
    ],
    [
      'a coding that is none',
      `POST /comment HTTP/1.1\r\n${json}Transfer-Encoding: ${marker}\r\n\r\n{}`,
    ],
    [
      'two codings',
      `POST /comment HTTP/1.1\r\n${json}Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    ['a chunk of no length', `${chunked}x\r\n{}\r\n0\r\n\r\n`],
    ['a chunk beyond all bounds', `${chunked}${'f'.repeat(17)}\r\n{}\r\n0\r\n\r\n`],
    ['a chunk extension', `${chunked}2;a="${'b'.repeat(100)}"\r\n{}\r\n0\r\n\r\n`],
    ['trailers', `${chunked}2\r\n{}\r\n0\r\nX-Fuzz: ${marker}\r\nAuthorization: x\r\n\r\n`],
    [
      'chunks to a route without a body',
      `GET /link HTTP/1.1\r\n${own}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    ['an empty request line', `\r\n\r\nGET /link HTTP/1.1\r\n${own}\r\n`],
    ['no HTTP at all', `${marker}\r\n\r\n`],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['Redis', `*1\r\n$4\r\n${marker}\r\n\r\n`],
    [
      'a request behind another',
      `GET /link?tag=${marker} HTTP/1.1\r\n${own}\r\nGET /link HTTP/1.1\r\n${own}\r\n`,
    ],
  ];
  const [what, raw] = random.pick(raws);
  const [method = '', target = ''] = raw.trim().split(/\s+/, 2);
  return { what: `wire: ${what}`, method, target, raw: Buffer.from(raw, 'latin1'), isAlone: true };
}
