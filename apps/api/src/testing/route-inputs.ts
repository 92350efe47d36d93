import { FeedBlogDaySchema, FeedObservationSchema } from '@tributary/connectors';
import { z } from 'zod';
import type { Route } from '../http/define-route.ts';
import { takesIfMatch } from '../http/if-match.ts';

interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}

/** Fields of the rows that an upload may hold. */
const UPLOADED = [FeedObservationSchema, FeedBlogDaySchema].flatMap(({ shape }) =>
  Object.keys(shape).map((name) => `upload.${name}`),
);

/**
 * Everything that a client can put into a request of the route, from the schemas that check it: `path.run`, `query.id`,
 * `body.settings.accountIds[]`, `upload.entityId`, `header.Idempotency-Key`.
 */
export function inputsOf(route: Route): string[] {
  const { params, query, body, upload, idempotent, path } = route;
  return [
    ...new Set([
      ...(params ? leavesOf('path', params) : []),
      ...leavesOf('query', query),
      ...(body ? leavesOf('body', body) : []),
      ...(upload ? UPLOADED : []),
      ...(idempotent ? ['header.Idempotency-Key'] : []),
      ...(takesIfMatch(route) ? ['header.If-Match'] : []),
      ...(path.startsWith('/data/') ? ['header.If-None-Match'] : []),
    ]),
  ];
}

function leavesOf(place: string, schema: z.ZodType): string[] {
  // A JSON Schema; only the keywords that lead to further fields are read.
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  return fieldsOf(whole, place, whole.$defs ?? {});
}

function fieldsOf(schema: Schema, at: string, named: Record<string, Schema>): string[] {
  const { $ref, properties, items, oneOf = [], anyOf = [], allOf = [] } = schema;
  const target = $ref === undefined ? undefined : named[$ref.replace('#/$defs/', '')];
  if (target) return fieldsOf(target, at, named);
  const choices = [...oneOf, ...anyOf, ...allOf];
  if (choices.length > 0) return choices.flatMap((one) => fieldsOf(one, at, named));
  if (items) return fieldsOf(items, `${at}[]`, named);
  if (!properties) return [at];
  return Object.entries(properties).flatMap(([name, one]) => fieldsOf(one, `${at}.${name}`, named));
}
