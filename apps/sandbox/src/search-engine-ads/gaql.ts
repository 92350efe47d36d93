import { addDays, isDate } from '../world/days.ts';
import { invalid } from './failure.ts';

export type Operator =
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'IN'
  | 'NOT IN'
  | 'BETWEEN'
  | 'DURING';

export interface Condition {
  field: string;
  operator: Operator;
  values: string[];
}

/** A query in the platform's language, taken apart. */
export interface Query {
  select: string[];
  from: string;
  where: Condition[];
  orderBy: { field: string; isDescending: boolean }[];
  limit: number | undefined;
}

const CLAUSES =
  /^\s*SELECT\s+(.+?)\s+FROM\s+([a-z_]+)(?:\s+WHERE\s+(.+?))?(?:\s+ORDER\s+BY\s+(.+?))?(?:\s+LIMIT\s+(\d+))?(?:\s+PARAMETERS\s+.+)?\s*;?\s*$/is;
const FIELD = /^[a-z_]+(?:\.[a-z_]+)+$/;
const CONDITION =
  /^\s*([a-z_.]+)\s*(?:(NOT\s+IN|IN)\s*\(([^)]*)\)|(BETWEEN)\s+(\S+)\s+AND\s+(\S+)|(DURING)\s+([A-Z0-9_]+)|(!=|<=|>=|=|<|>)\s*('[^']*'|"[^"]*"|[^\s]+))\s*/i;

export function parseQuery(text: string | undefined): Query {
  if (text === undefined || text.trim() === '') {
    throw invalid({ requestError: 'REQUIRED_FIELD_MISSING' }, 'Required field query was missing.');
  }
  const found = CLAUSES.exec(text);
  if (!found) throw invalid({ queryError: 'UNEXPECTED_INPUT' }, `Error in query: '${text}'.`);
  const [, select = '', from = '', where, orderBy, limit] = found;
  return {
    select: select.split(',').map((one) => fieldIn(one)),
    from,
    where: where === undefined ? [] : conditionsIn(where),
    orderBy: (orderBy ?? '').split(',').filter(Boolean).map(orderIn),
    limit: limit === undefined ? undefined : Number(limit),
  };
}

function fieldIn(text: string): string {
  const field = text.trim();
  if (FIELD.test(field)) return field;
  throw invalid({ queryError: 'UNRECOGNIZED_FIELD' }, `Unrecognized field: '${field}'.`);
}

function orderIn(text: string): { field: string; isDescending: boolean } {
  const [field = '', direction = 'ASC'] = text.trim().split(/\s+/);
  return { field: fieldIn(field), isDescending: direction.toUpperCase() === 'DESC' };
}

function conditionsIn(text: string): Condition[] {
  const conditions: Condition[] = [];
  let rest = text;
  while (rest.trim() !== '') {
    const found = CONDITION.exec(rest);
    if (!found) throw invalid({ queryError: 'BAD_OPERATOR' }, `Error in query: '${rest}'.`);
    const [whole, field = '', inside, list = '', between, from, to, during, range, sign, value] =
      found;
    const operator = inside ?? between ?? during ?? sign ?? '=';
    const values = inside ? list.split(',') : between ? [from, to] : during ? [range] : [value];
    conditions.push({
      field: fieldIn(field),
      operator: operator.toUpperCase().replace(/\s+/, ' ') as Operator, // the pattern admits no other
      values: values.map((one) => unquote(one ?? '')),
    });
    rest = rest.slice(whole.length).replace(/^AND\b/i, '');
  }
  return conditions;
}

function unquote(text: string): string {
  return text.trim().replace(/^(['"])(.*)\1$/s, '$2');
}

const DURING: Readonly<Record<string, [from: number, to: number]>> = {
  TODAY: [0, 0],
  YESTERDAY: [-1, -1],
  LAST_7_DAYS: [-7, -1],
  LAST_14_DAYS: [-14, -1],
  LAST_30_DAYS: [-30, -1],
};

/** The days that a query asks for; undefined when it names none. */
export function dateRange(
  { where }: Query,
  today: string,
): { start: string; end: string } | undefined {
  let start: string | undefined;
  let end: string | undefined;
  for (const { operator, values } of where.filter(({ field }) => field === 'segments.date')) {
    const [first = '', last = first] = values;
    const during = operator === 'DURING' ? DURING[first.toUpperCase()] : undefined;
    if (operator === 'DURING' && !during) throw badDate(first);
    const [low, high] = during
      ? [addDays(today, during[0]), addDays(today, during[1])]
      : [checkedDate(first), checkedDate(last)];
    if (operator === '>') start = addDays(low, 1);
    if (['=', '>=', 'BETWEEN', 'DURING'].includes(operator)) start = low;
    if (operator === '<') end = addDays(low, -1);
    if (['=', 'BETWEEN', 'DURING'].includes(operator)) end = high;
    if (operator === '<=') end = low;
  }
  if (start === undefined && end === undefined) return undefined;
  if (start === undefined || end === undefined) {
    const message = 'The filter on segments.date does not describe a finite range.';
    throw invalid({ queryError: 'INVALID_VALUE_WITH_BETWEEN_OPERATOR' }, message);
  }
  return { start, end };
}

function checkedDate(text: string): string {
  const date = text.slice(0, 10);
  if (isDate(date)) return date;
  throw badDate(text);
}

function badDate(text: string) {
  return invalid(
    { queryError: 'BAD_VALUE' },
    `Invalid date literal supplied for filtering: ${text}.`,
  );
}

/** A value of a row, as it is sent; undefined = left out. */
export type SentValue = string | number | boolean | undefined;

/** Whether a value fits a condition. */
export function fits({ operator, values }: Condition, value: SentValue): boolean {
  const text = String(value ?? '');
  const [first = '', last = ''] = values;
  const order = compare(text, first);
  switch (operator) {
    case '=':
      return text === first;
    case '!=':
      return text !== first;
    case 'IN':
      return values.includes(text);
    case 'NOT IN':
      return !values.includes(text);
    case 'BETWEEN':
      return order >= 0 && compare(text, last) <= 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}

/** Numbers as numbers, everything else as text. */
export function compare(a: string, b: string): number {
  const numeric = /^-?\d+(\.\d+)?$/;
  if (numeric.test(a) && numeric.test(b)) return Number(a) - Number(b);
  return a < b ? -1 : a > b ? 1 : 0;
}
