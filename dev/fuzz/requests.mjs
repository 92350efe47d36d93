// @ts-check
/**
 * @typedef {import('./document.mjs').Operation} Operation
 * @typedef {import('./random.mjs').Random} Random
 * @typedef {import('./values.mjs').Pools} Pools
 * @typedef {'own' | 'reader' | 'foreign' | 'nobody'} Caller whose key is sent
 *
 * @typedef {object} Draft a request that can still be changed, field by field
 * @property {Operation} operation
 * @property {string} method
 * @property {Record<string, string>} path
 * @property {[string, string][]} query
 * @property {[string, string][]} headers
 * @property {unknown} body as JSON; undefined for none
 * @property {Caller} caller
 *
 * @typedef {object} Request
 * @property {number} index
 * @property {string} kind
 * @property {string} what was done to it
 * @property {string} method
 * @property {string} target
 * @property {readonly (readonly [string, string])[]} headers
 * @property {Buffer | undefined} body
 * @property {Caller} caller
 * @property {Buffer | undefined} raw all of it, where it breaks the rules of HTTP
 * @property {boolean} isAlone gets a connection of its own, which it may leave broken
 * @property {readonly string[]} secrets texts that no answer may hold
 * @property {unknown} stored what a good answer has to send back unchanged
 */

const FIRST_NAMES = ['start', 'end'];

/**
 * A request that fits the document.
 * @param {Operation} operation
 * @param {{ values: import('./values.mjs').Values, random: Random }} making
 * @returns {Draft}
 */
export function validDraft(operation, { values, random }) {
  /** @type {Draft} */
  const draft = {
    operation,
    method: operation.method,
    path: {},
    query: [],
    headers: [],
    body: undefined,
    caller: random.chance(0.97) ? 'own' : random.pick(['reader', 'foreign']),
  };
  for (const { name, in: place, required, schema } of operation.parameters) {
    if (!required && random.chance(0.6)) continue;
    const value = String(values.valueOf(schema, name, random));
    if (place === 'path') draft.path[name] = value;
    else if (place === 'query') draft.query.push([name, value]);
    else draft.headers.push([name, headerText(value)]);
  }
  orderDays(draft.query);
  const answers = Object.keys(operation.responses[200]?.content ?? {});
  if (answers.length > 1) draft.headers.push(['Accept', random.pick(answers)]);
  const schema = operation.bodies?.['application/json'];
  if (schema) {
    draft.body = values.bodyOf(schema, random);
    draft.headers.push(['Content-Type', 'application/json']);
    if (isObject(draft.body)) orderDaysOf(draft.body);
  }
  return draft;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A range runs forwards.
 * @param {[string, string][]} query
 */
function orderDays(query) {
  const pairs = query.filter(([name]) => FIRST_NAMES.includes(name));
  const sorted = pairs.map(([, value]) => value).sort();
  for (const name of FIRST_NAMES) {
    const pair = pairs.find(([one]) => one === name);
    if (pair) pair[1] = sorted.shift() ?? '';
  }
}

/** @param {Record<string, unknown>} body */
function orderDaysOf(body) {
  const [start, end] = [body.start, body.end];
  if (typeof start === 'string' && typeof end === 'string' && start > end) {
    Object.assign(body, { start: end, end: start });
  }
}

/** @param {string} text */
export function encode(text) {
  // A lone surrogate has no UTF-8; it goes out as the three bytes that it would have.
  return /\p{Surrogate}/u.test(text) ? percentBytes(text) : encodeURIComponent(text);
}

/** @param {string} text */
function percentBytes(text) {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0xd800 || code > 0xdfff) return encodeURIComponent(character);
    const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
    return bytes.map((byte) => `%${byte.toString(16)}`).join('');
  }).join('');
}

/**
 * What a header line can hold.
 * @param {string} text
 */
export function headerText(text) {
  return Buffer.from(text.replaceAll(/\p{Cc}/gu, '')).toString('latin1');
}

/** @param {Draft} draft */
export function targetOf({ operation, path, query }) {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encode(path[name] ?? ''));
  const pairs = query.map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled;
}

/**
 * @param {Draft} draft
 * @param {{ index: number, kind: string, what: string }} about
 * @param {Partial<Request>} [change]
 * @returns {Request}
 */
export function finish(draft, about, change = {}) {
  const { method, headers, body, caller } = draft;
  return {
    ...about,
    method,
    target: targetOf(draft),
    headers,
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    caller,
    raw: undefined,
    isAlone: false,
    secrets: [],
    stored: body,
    ...change,
  };
}

/**
 * The bytes of a request.
 * @param {Request} request
 * @param {{ port: number, keys: Record<Caller, string | undefined> }} target
 * @returns {Buffer}
 */
export function bytesOf({ method, target, headers, body, caller, raw }, { port, keys }) {
  if (raw) return raw;
  const key = keys[caller];
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  if (body && !headers.some(([name]) => name.toLowerCase() === 'transfer-encoding')) {
    lines.push(`Content-Length: ${body.length}`);
  }
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return body ? Buffer.concat([head, body]) : head;
}

/**
 * The request as somebody can send it again; the keys are named, not shown.
 * @param {Request} request
 * @param {number} port
 */
export function commandOf(request, port) {
  const { method, target, headers, body, caller, raw } = request;
  if (raw) return `printf ${shellText(raw)} | nc 127.0.0.1 ${port}`;
  const key = caller === 'nobody' ? [] : [`Authorization: Bearer $KEY_OF_${caller.toUpperCase()}`];
  const lines = [...key, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return [
    `curl -i -X ${method} http://127.0.0.1:${port} --request-target ${shellText(Buffer.from(target, 'latin1'))}`,
    ...lines.map(
      (line) =>
        `-H ${line.includes('$KEY') ? `"${line}"` : shellText(Buffer.from(line, 'latin1'))}`,
    ),
    ...(body ? [`--data-binary ${shellText(body)}`] : []),
  ].join(' ');
}

const SHOWN_BYTES = 4_000;

/** @param {Buffer} bytes */
function shellText(bytes) {
  const text = Array.from(bytes.subarray(0, SHOWN_BYTES), (byte) => {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte > 0x7e) return `\\x${byte.toString(16).padStart(2, '0')}`;
    return character === "'" || character === '\\' ? `\\${character}` : character;
  }).join('');
  const rest = bytes.length > SHOWN_BYTES ? ` # and ${bytes.length - SHOWN_BYTES} more bytes` : '';
  return `$'${text}'${rest}`;
}
