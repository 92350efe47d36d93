import { invalid } from './failure.ts';
import { ATTRIBUTES, BESIDE, isMetric } from './fields.ts';
import type { Query } from './gaql.ts';
import type { Resource } from './resources.ts';

/** Every field that a query names. */
export function fieldsOf({ select, where, orderBy }: Query): string[] {
  return [
    ...new Set([...select, ...where.map((one) => one.field), ...orderBy.map((one) => one.field)]),
  ];
}

/** Throws the platform's refusal of fields that do not exist or do not go together. */
export function checkFields(
  { select, from, where, orderBy }: Query,
  resource: Resource,
  asked: string[],
): void {
  for (const field of asked) {
    const [head = '', ...tail] = field.split('.');
    if (head === 'segments') {
      if (!resource.segments.includes(tail.join('.'))) throw prohibited(field, from);
    } else if (head === 'metrics') {
      if (!isMetric(field)) throw unrecognized(field);
    } else if (head !== from && !BESIDE[from]?.includes(head)) {
      throw prohibited(field, from);
    } else if (!(field in ATTRIBUTES) && tail.join('.') !== 'resource_name') {
      throw unrecognized(field);
    }
  }
  for (const { field } of [...where, ...orderBy]) {
    if (!field.startsWith('segments.') || field === 'segments.date' || select.includes(field))
      continue;
    const queryError = 'EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE';
    throw invalid(
      { queryError },
      `The following field must be present in SELECT clause: '${field}'.`,
    );
  }
}

function prohibited(field: string, from: string) {
  const queryError = field.startsWith('segments.')
    ? 'PROHIBITED_SEGMENT_IN_SELECT_OR_WHERE_CLAUSE'
    : 'PROHIBITED_RESOURCE_TYPE_IN_SELECT_CLAUSE';
  return invalid(
    { queryError },
    `The field '${field}' cannot be used with the resource '${from}'.`,
  );
}

function unrecognized(field: string) {
  return invalid(
    { queryError: 'UNRECOGNIZED_FIELD' },
    `Unrecognized field in the query: '${field}'.`,
  );
}

export function badResource(from: string) {
  const message = `The resource '${from}' is not recognized in the FROM clause.`;
  return invalid({ queryError: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE' }, message);
}
