import { json, type Reply } from '../http/call.ts';
import { badRequest } from './refusal.ts';

const SIZE_DEFAULT = 10;
const SIZE_MAX = 100;

/** One page of a list in the platform's envelope; pages are numbered from 0. */
export function pageReply<T>(
  query: URLSearchParams,
  all: readonly T[],
  toJson: (one: T) => unknown,
  /** The platform's lists name their rows differently. */
  rowsName: 'content' | 'contents' = 'content',
): Reply {
  const page = numberOf(query, 'page', 0);
  const size = numberOf(query, 'size', SIZE_DEFAULT);
  if (size < 1 || size > SIZE_MAX) throw badRequest(`size (${size}) must be 1 to ${SIZE_MAX}.`);
  const rows = all.slice(page * size, (page + 1) * size);
  const totalPages = Math.ceil(all.length / size);
  return json(200, {
    [rowsName]: rows.map(toJson),
    page,
    size,
    number: page,
    numberOfElements: rows.length,
    totalElements: all.length,
    totalPages,
    first: page === 0,
    last: page >= totalPages - 1,
    empty: rows.length === 0,
  });
}

function numberOf(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d{1,6}$/.test(text)) throw badRequest(`${name} (${text}) is not a number.`);
  return Number(text);
}

/** `true` or `false`; undefined when it is not asked for. */
export function flagOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (text !== 'true' && text !== 'false') throw badRequest(`${name} (${text}) is no boolean.`);
  return text === 'true';
}
