// @ts-check
import { gunzipSync } from 'node:zlib';
import { CANARY, ORIGIN, SECRET } from './canaries.mjs';
import { operationAt } from './document.mjs';
import { createMisfit, csvMisfit } from './misfit.mjs';

/**
 * @typedef {import('./connection.mjs').Answer} Answer
 * @typedef {import('./requests.mjs').Request} Request
 * @typedef {import('./document.mjs').Operation} Operation
 * @typedef {{ findings: string[], operation: Operation | undefined }} Judgement
 */

const PROBLEM_TYPE = 'application/problem+json';
const CSV_TYPE = 'text/csv';
/** Fixed answers beside the document. */
const PAGES = /** @type {Record<string, string>} */ ({
  '/docs': 'text/html',
  '/openapi.json': 'application/json',
});
/** What may be said of an address or method that the document does not know. */
const ELSEWHERE = new Set([
  'invalid_request',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'headers_too_large',
]);
const INTERNAL =
  /\bat (?:\w|\/).*:\d+:\d+|node_modules|MongoServerError|MongoNetwork|ZodError|file:\/\/\//;
const PROBLEM_SCHEMA = { $ref: '#/components/schemas/Problem' };

/**
 * @typedef {(text: string) => void} Say
 * @typedef {{ status: number, type: string, headers: Map<string, string>, body: Buffer, text: string, json: unknown, isHead: boolean }} Read
 * @typedef {{ api: import('./document.mjs').Api, misfit: import('./misfit.mjs').Misfit }} Rules
 */

/**
 * Compares answers with what every one of them has to be, and with the document.
 * @param {import('./document.mjs').Api} api
 * @param {readonly string[]} keys that no answer may hold
 * @returns {(request: Request, answer: Answer) => Judgement}
 */
export function createOracles(api, keys) {
  const rules = { api, misfit: createMisfit(api) };
  return (request, answer) => {
    /** @type {string[]} */
    const findings = [];
    const say = (/** @type {string} */ text) => void findings.push(text);
    const path = pathOf(request.target);
    const operation = operationAt(api, request.method, path);
    const read = readOf(request, answer, say);
    const { status } = read;
    if (status >= 500 && !(status === 501 && operation?.responses[501])) say(`${status}`);
    checkEverywhere(read, { request, keys }, say);
    if (operation) checkHeaders(read, { ...rules, operation }, say);
    if (status >= 400) checkProblem(read, { ...rules, operation }, say);
    else if (operation) checkSuccess(read, { ...rules, operation }, say);
    else checkPage(read, { request, path }, say);
    if (status < 300 && !read.isHead) checkUnchanged(request.stored, read.json, say);
    return { findings, operation };
  };
}

/** @type {(request: Request, answer: Answer, say: Say) => Read} */
function readOf({ method }, { status, headers: pairs, body }, say) {
  const headers = new Map(pairs);
  if (headers.size !== pairs.length) say('a header twice');
  const [type = ''] = (headers.get('content-type') ?? '').split(';', 1);
  const text = (
    headers.get('content-encoding') === 'gzip' && body.length > 0 ? gunzipSync(body) : body
  ).toString();
  let json;
  if (type.endsWith('json') && text !== '') {
    try {
      json = JSON.parse(text);
    } catch {
      say('JSON that cannot be parsed');
    }
  }
  return { status, type, headers, body, text, json, isHead: method === 'HEAD' };
}

/** @type {(read: Read, asked: { request: Request, keys: readonly string[] }, say: Say) => void} */
function checkEverywhere({ status, headers, text, type }, { request, keys }, say) {
  if (!headers.has('x-request-id')) say('no X-Request-Id');
  if (status >= 300 && status < 400 && status !== 304) say(`a redirection: ${status}`);
  const all = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n') + text;
  const allowed = headers.get('access-control-allow-origin');
  if (allowed !== undefined && allowed !== ORIGIN) say(`the origin '${allowed}' is allowed`);
  if ([...headers.keys()].some((name) => name.startsWith('x-fuzz'))) say('a header of the client');
  if (/<html|<pre>/i.test(text) && type === 'text/html' && request.target !== '/docs') say('HTML');
  if (status >= 400 && INTERNAL.test(text.replaceAll(/'[^']*'/g, '')))
    say(`something internal: ${text.slice(0, 200)}`);
  if (request.caller !== 'foreign' && all.includes(CANARY)) say('data of the other tenant');
  if (all.includes(SECRET)) say("a client's credential");
  for (const secret of [...keys, ...request.secrets]) if (all.includes(secret)) say('a secret');
}

/** @type {(read: Read, rules: Rules & { operation: Operation }, say: Say) => void} */
function checkHeaders({ status, headers }, { api, misfit, operation }, say) {
  for (const [name, header] of Object.entries(operation.responses[status]?.headers ?? {})) {
    const { required, schema } = api.resolve(header);
    const value = headers.get(name.toLowerCase());
    if (value === undefined) {
      if (required) say(`no header ${name}`);
      continue;
    }
    const wrong = misfit(schema, value);
    if (wrong) say(`the header ${name} '${value}': ${wrong}`);
  }
}

/** @type {(read: Read, rules: Rules & { operation: Operation | undefined }, say: Say) => void} */
function checkProblem({ status, type, json, headers, isHead }, { misfit, operation }, say) {
  if (type !== PROBLEM_TYPE) say(`an error of type '${type}'`);
  if (status === 405 && !headers.has('allow')) say('405 without Allow');
  if (isHead) return;
  const wrong = misfit(PROBLEM_SCHEMA, json);
  if (wrong) {
    say(`an error that does not fit Problem: ${wrong}`);
    return;
  }
  const problem = /** @type {{ code: string, requestId: string, status: number }} */ (json);
  const { code, requestId } = problem;
  if (problem.status !== status) say(`an error that says ${problem.status}`);
  if (requestId !== headers.get('x-request-id')) say('a requestId that is not the X-Request-Id');
  if (!operation) {
    if (!ELSEWHERE.has(code)) say(`'${code}' where there is no operation`);
  } else if (!codesOf(operation, status).includes(code)) {
    say(`${status} '${code}', which the document does not tell of ${operation.name}`);
  }
}

/** @type {(read: Read, rules: Rules & { operation: Operation }, say: Say) => void} */
function checkSuccess({ status, type, json, text, isHead, body }, { misfit, operation }, say) {
  const documented = operation.responses[status];
  if (!documented) {
    say(`${status}, which the document does not tell of ${operation.name}`);
    return;
  }
  if (!documented.content) {
    if (body.length > 0) say('a body where there is none');
    return;
  }
  const schema = documented.content[type]?.schema;
  if (!schema) say(`the type '${type}', which the document does not tell of ${operation.name}`);
  else if (!isHead) {
    const wrong = misfit(schema, type.endsWith('json') ? json : text);
    if (wrong) say(`an answer that does not fit: ${wrong}`);
    const table = type === CSV_TYPE ? csvMisfit(text) : undefined;
    if (table) say(`a table that is none: ${table}`);
  }
}

/** @type {(read: Read, asked: { request: Request, path: string }, say: Say) => void} */
function checkPage({ status, type }, { request, path }, say) {
  if (request.method === 'OPTIONS' && status === 204) return;
  if (PAGES[path] !== type) say(`${status} '${type}' where there is no operation`);
}

/**
 * Text that was stored comes back as it was sent; blank text may mean none.
 * @type {(sent: unknown, answered: unknown, say: Say) => void}
 */
function checkUnchanged(sent, answered, say) {
  if (
    typeof sent !== 'object' ||
    typeof answered !== 'object' ||
    sent === null ||
    answered === null
  )
    return;
  for (const [name, value] of Object.entries(sent)) {
    const back = /** @type {Record<string, unknown>} */ (answered)[name];
    const isText = typeof value === 'string' && typeof back === 'string' && value.trim() !== '';
    if (isText && name !== 'id' && back !== value) say(`${name} is another than was sent`);
  }
}

/** @param {string} target */
export function pathOf(target) {
  return target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
}

/**
 * @param {Operation} operation
 * @param {number} status
 */
function codesOf({ responses }, status) {
  const { description = '' } = responses[status] ?? {};
  return Array.from(description.matchAll(/`(\w+)`/g), ([, code]) => code);
}
