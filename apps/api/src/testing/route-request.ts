import type { Route } from '../http/define-route.ts';
import { declaredOf } from './route-table.ts';
import { KINDS, type Kind } from './seed-tenant.ts';

/** What is put into a request, by input. */
export type Values = Readonly<Record<string, unknown>>;

/** Names of each kind that are well-formed and of nothing that is stored. */
export const MADE_UP_IDS = Object.fromEntries(KINDS.map((kind) => [kind, '1'])) as Readonly<
  Record<Kind, string> // all kinds are there
>;

/** What is sent when a tenant asks for its own. */
export function valuesOf(route: Route, ids: Readonly<Record<Kind, string>>): Values {
  const values = Object.entries(declaredOf(route)).flatMap(([name, input]) => {
    if ('plain' in input) return [[name, input.plain]];
    return input.isSent ? [[name, ids[input.identifies]]] : [];
  });
  return Object.fromEntries(values);
}

export interface RawRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** A request of the route with these values. */
export function requestOf({ method, path, upload }: Route, values: Values): RawRequest {
  const of = (place: string) =>
    Object.entries(values)
      .filter(([input, value]) => input.startsWith(`${place}.`) && value !== undefined)
      .map(([input, value]) => [input.slice(place.length + 1), value] as const);
  const filled = of('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    path as string,
  );
  const query = of('query').map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const headers = Object.fromEntries(of('header').map(([name, value]) => [name, String(value)]));
  const body = upload ? [Object.fromEntries(of('upload'))] : bodyOf(of('body'));
  return {
    method,
    path: `${filled}${query.length > 0 ? '?' : ''}${query.join('&')}`,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  };
}

interface Nested {
  [name: string]: unknown;
}

function bodyOf(fields: readonly (readonly [string, unknown])[]): Nested | undefined {
  if (fields.length === 0) return undefined;
  const body: Nested = {};
  for (const [at, value] of fields) {
    const steps = at.replace('[]', '').split('.');
    const last = steps.pop() ?? '';
    const place = steps.reduce((inside, step) => {
      const next = (inside[step] ?? {}) as Nested; // only made here
      inside[step] = next;
      return next;
    }, body);
    place[last] = at.endsWith('[]') ? [value] : value;
  }
  return body;
}
