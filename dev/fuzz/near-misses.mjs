// @ts-check
import { headerText, isObject } from './requests.mjs';

/**
 * One field broken of a request that is good otherwise.
 * @typedef {import('./requests.mjs').Draft} Draft
 * @typedef {import('./random.mjs').Random} Random
 * @typedef {{ name: string, schema: import('./document.mjs').Schema, set: (value: unknown) => void, drop: () => void, rename: (name: string) => void }} Field
 */

const DATES = [
  '2026-02-29',
  '2026-02-30',
  '2025-02-29',
  '2100-02-29',
  '1900-02-29',
  '2026-04-31',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '9999-12-31',
  '0000-01-01',
  '1999-12-31',
  '2000-01-01',
  '2099-12-31',
  '2100-01-01',
  '+010000-01-01',
  '-000001-01-01',
  '2026-1-1',
  '20260101',
  '2026-01-01T00:00:00Z',
  ' 2026-01-01',
  '2026-01-01 ',
  '01/02/2026',
  '2026-W01',
  '2026-001',
  'today',
  '２０２６-01-01',
];
const NUMBERS = [1e9, -1, 0, 1.5, -0, 1e308, 2 ** 53 + 2, 1_000_000_000_000_000, Number.MIN_VALUE];
const NUMBER_TEXTS = [
  '1e9',
  '-1',
  '0',
  'NaN',
  'Infinity',
  '1.5',
  '',
  '007',
  '+1',
  '0x1',
  '1_0',
  '٣',
  '999999999999999',
  '1000000000000000',
  '501',
  '500',
  ' 1',
  '1 ',
];
const TYPES = [null, true, false, 0, 1, '', 'text', [], {}, [[]], [null], { a: 1 }, ['text']];

/**
 * @param {string} name
 * @param {number} max
 */
function boundaries(name, max) {
  return [
    'x'.repeat(max),
    'x'.repeat(max + 1),
    '한'.repeat(max),
    '\u{1f600}'.repeat(max),
    '\u{1f600}'.repeat(max + 1),
    'x'.repeat(Math.max(0, max - 1)),
    ' '.repeat(max),
    `${name}\0`,
    '\ud800',
    '\udfff\ud800',
    ' ',
    '\t\n',
    '\u00a0',
    '\u3000',
    'e\u0301'.repeat(Math.ceil(max / 2)),
  ];
}

/**
 * @param {Draft} draft changed in its place
 * @param {Random} random
 * @returns {string} what was broken
 */
export function breakOne(draft, random) {
  const fields = fieldsOf(draft);
  if (fields.length === 0 || random.chance(0.08)) return breakShape(draft, random);
  const field = random.pick(fields);
  const { name, schema, set } = field;
  const way = random.int(10);
  if (way === 0) {
    field.drop();
    return `${name} is missing`;
  }
  if (way === 1) {
    field.rename(
      random.pick([
        name.toUpperCase(),
        ` ${name}`,
        `${name}[]`,
        `${name}.x`,
        `${name}\0`,
        `_${name}`,
      ]),
    );
    return `${name} has another name`;
  }
  const isBody = !draft.query.some(([one]) => one === name) && draft.body !== undefined;
  const choices = [
    ...(schema.format === 'date' ? DATES : []),
    ...(isBody && way < 6 ? [...TYPES, ...NUMBERS] : NUMBER_TEXTS),
    ...(way > 5 ? boundaries(name, schema.maxLength ?? 200) : []),
    ...(schema.enum
      ? schema.enum.map((/** @type {unknown} */ one) => String(one).toLowerCase())
      : []),
  ];
  const value = random.pick(choices);
  set(value);
  return `${name} is ${JSON.stringify(value).slice(0, 40)}`;
}

/**
 * @param {Draft} draft
 * @param {Random} random
 */
function breakShape(draft, random) {
  const way = random.int(4);
  const [first] = draft.query;
  if (way === 0 && first) {
    draft.query.push([first[0], random.pick([first[1], 'another'])]);
    return `${first[0]} comes twice`;
  }
  if (way === 1 && isObject(draft.body)) {
    draft.body[random.pick(['surprise', 'tenant', '_id', 'createdAt', 'gen', 'status', 'Title'])] =
      1;
    return 'the body has a field too many';
  }
  if (way === 2) {
    draft.headers = draft.headers.filter(([name]) => name !== 'Content-Type');
    draft.headers.push([
      'Content-Type',
      random.pick([
        'text/plain',
        'application/json; charset=utf-16',
        'application/xml',
        'multipart/form-data',
        '',
      ]),
    ]);
    return 'the body is of another type';
  }
  draft.query.push([random.pick(['surprise', 'page', 'sort', 'fields', '']), '1']);
  return 'the query has a name too many';
}

/**
 * @param {Draft} draft
 * @returns {Field[]}
 */
export function fieldsOf(draft) {
  const schemas = new Map(draft.operation.parameters.map(({ name, schema }) => [name, schema]));
  const pairs = [draft.query, draft.headers].flatMap((list) =>
    list
      .filter(([name]) => name !== 'Content-Type')
      .map((pair) => ({
        name: pair[0],
        schema: schemas.get(pair[0]) ?? {},
        set: (/** @type {unknown} */ value) => {
          pair[1] = list === draft.headers ? headerText(String(value)) : String(value);
        },
        drop: () => void list.splice(list.indexOf(pair), 1),
        rename: (/** @type {string} */ name) => {
          pair[0] = list === draft.headers ? 'X-Other' : name;
        },
      })),
  );
  const inPath = Object.keys(draft.path).map((name) => ({
    name,
    schema: schemas.get(name) ?? {},
    set: (/** @type {unknown} */ value) => {
      draft.path[name] = String(value);
    },
    drop: () => {
      draft.path[name] = '';
    },
    rename: (/** @type {string} */ other) => {
      draft.path[name] = other;
    },
  }));
  return [...pairs, ...inPath, ...bodyFields(draft.body)];
}

/**
 * @param {unknown} body
 * @returns {Field[]}
 */
function bodyFields(body) {
  if (!isObject(body)) return [];
  return Object.keys(body).flatMap((name) => [
    {
      name,
      schema: /** @type {import('./document.mjs').Schema} */ ({}),
      set: (/** @type {unknown} */ value) => {
        body[name] = value;
      },
      drop: () => void delete body[name],
      rename: (/** @type {string} */ other) => {
        body[other] = body[name];
        delete body[name];
      },
    },
    ...bodyFields(body[name]),
  ]);
}
