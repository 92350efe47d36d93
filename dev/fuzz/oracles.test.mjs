// @ts-check
import { CANARY, SECRET } from './canaries.mjs';
import { readDocument } from './document.mjs';
import { createOracles } from './oracles.mjs';

const KEY = 'the-key-of-the-tenant';
const ID = '00000000-0000-4000-8000-000000000000';
const text = { type: 'string' };
const api = readDocument({
  paths: {
    '/note/{run}': {
      get: {
        responses: {
          200: {
            description: '',
            headers: { 'X-State': { $ref: '#/components/headers/State' } },
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Note' } },
              'text/csv': { schema: { type: 'string', pattern: '^date,title\\r\\n' } },
            },
          },
          204: { description: '' },
          404: { description: '`not_found`: Nothing' },
        },
      },
    },
  },
  components: {
    headers: { State: { required: true, schema: { type: 'string', enum: ['new'] } } },
    schemas: {
      Note: {
        type: 'object',
        properties: { title: text },
        required: ['title'],
        additionalProperties: false,
      },
      Problem: {
        type: 'object',
        properties: { code: text, status: { type: 'integer' }, requestId: text, detail: text },
        required: ['code', 'status', 'requestId'],
      },
    },
  },
});
const judge = createOracles(api, [KEY]);

/**
 * @param {{ status?: number, headers?: Record<string, string>, body?: unknown, method?: string, target?: string, stored?: unknown, secrets?: string[] }} given
 */
function findingsOf({
  status = 200,
  headers = {},
  body = { title: 'a' },
  method = 'GET',
  target = '/note/1?x=1',
  stored,
  secrets = [],
}) {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  const all = { 'content-type': type, 'x-request-id': ID, 'x-state': 'new', ...headers };
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const about = { index: 0, kind: 'valid', what: '', headers: [], body: undefined, raw: undefined };
  return judge(
    { ...about, method, target, caller: 'own', isAlone: false, secrets, stored },
    { status, headers: Object.entries(all), body: bytes, isLast: false },
  ).findings;
}

const csv = { 'content-type': 'text/csv; charset=utf-8' };
const problem = { code: 'not_found', status: 404, requestId: ID };

test('what is as it has to be is no finding', () => {
  expect(findingsOf({ stored: { title: 'a', id: 'b' } })).toEqual([]);
  expect(findingsOf({ method: 'HEAD', body: '' })).toEqual([]);
  expect(findingsOf({ status: 404, body: problem })).toEqual([]);
  expect(findingsOf({ status: 404, body: problem, target: '/elsewhere' })).toEqual([]);
  expect(
    findingsOf({ headers: csv, body: 'date,title\r\n2026-11-01,"a, ""b""\r\nc"\r\n' }),
  ).toEqual([]);
  expect(findingsOf({ headers: csv, body: 'date,title\r\n' })).toEqual([]);
});

/** @type {[string, Parameters<typeof findingsOf>[0], string][]} */
const faults = [
  ['a fault of the server', { status: 500, body: { ...problem, status: 500 } }, '500'],
  ['a status beside the document', { status: 201 }, '201, which the document does not tell'],
  ['a body that does not fit', { body: { title: 1 } }, 'does not fit'],
  ['a field too many', { body: { title: 'a', gen: 1 } }, 'does not fit'],
  ['a body that is no JSON', { body: '{' }, 'cannot be parsed'],
  ['a body where there is none', { status: 204 }, 'a body where there is none'],
  ['a table without its header line', { headers: csv, body: '1,a\r\n' }, 'does not fit'],
  ['a cell too many', { headers: csv, body: 'date,title\r\n1,a\r\n1,a,b\r\n' }, 'none: '],
  ['a cell too few', { headers: csv, body: 'date,title\r\n1\r\n' }, 'none: '],
  ['a quote that stays open', { headers: csv, body: 'date,title\r\n1,"a\r\n' }, 'none: '],
  ['a table that breaks off', { headers: csv, body: 'date,title\r\n1,a' }, 'does not end'],
  ['another type', { headers: { 'content-type': 'text/html' } }, "'text/html'"],
  ['a header that does not fit', { headers: { 'x-state': 'old' } }, "X-State 'old'"],
  [
    'an error that is a page',
    { status: 404, headers: { 'content-type': 'text/html' }, body: '<pre>' },
    "type 'text/html'",
  ],
  [
    'an error of another shape',
    { status: 404, body: { code: 'not_found' } },
    'does not fit Problem',
  ],
  [
    'an error that says another status',
    { status: 404, body: { ...problem, status: 400 } },
    'says 400',
  ],
  ['an error beside the document', { status: 404, body: { ...problem, code: 'gone' } }, "'gone'"],
  ['another request id', { status: 404, body: { ...problem, requestId: 'x' } }, 'X-Request-Id'],
  [
    'a method refused without saying which',
    { status: 405, method: 'PUT', body: { ...problem, code: 'method_not_allowed', status: 405 } },
    '405 without Allow',
  ],
  ['success where nothing is', { target: '/elsewhere' }, 'no operation'],
  ['a redirection', { status: 302 }, 'redirection'],
  ['a header of the client', { headers: { 'x-fuzz': '1' } }, 'header of the client'],
  [
    'a stack',
    { status: 404, body: { ...problem, detail: 'Error at f (/a/b.js:1:2)' } },
    'internal',
  ],
  ['data of somebody else', { body: { title: CANARY } }, 'other tenant'],
  ['a credential', { body: { title: `${SECRET}1` } }, 'credential'],
  ['a key', { body: { title: KEY } }, 'a secret'],
  ['what was sent as a secret', { body: { title: 'xyz' }, secrets: ['xyz'] }, 'a secret'],
  ['another text than was stored', { stored: { title: 'b' } }, 'title is another'],
  ['a foreign origin', { headers: { 'access-control-allow-origin': '*' } }, "origin '*'"],
];

test.each(faults)('%s is found', (_, given, words) => {
  expect(findingsOf(given).join('\n')).toContain(words);
});
