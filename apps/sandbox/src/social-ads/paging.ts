import { hash } from '../world/random.ts';
import { badParameter } from './graph-error.ts';
import { countParam, type Params } from './params.ts';

const LIMIT_DEFAULT = 25;
const LIMIT_MAX = 5_000;

interface Cursor {
  offset: number;
  /** The empty page that is sent in this place now and then has been sent. */
  rested: boolean;
}

export interface Page<T> {
  items: T[];
  before: string | undefined;
  after: string | undefined;
  hasPrevious: boolean;
  hasNext: boolean;
}

function encode(print: number, { offset, rested }: Cursor): string {
  return Buffer.from(`${print}:${offset}:${rested ? 1 : 0}`).toString('base64url');
}

function decode(print: number, text: string): Cursor {
  const match = /^(\d+):(\d+):([01])$/.exec(Buffer.from(text, 'base64url').toString());
  if (match === null || Number(match[1]) !== print) {
    throw badParameter(`Invalid cursors values: '${text}'`);
  }
  return { offset: Number(match[2]), rested: match[3] === '1' };
}

/**
 * Cuts a page out of a list. `key` names the list, so that a cursor of another list is refused. About every sixth
 * continued page comes empty first, with a `next`: "no rows" does not mean "no more pages".
 */
export function cutPage<T>(list: readonly T[], key: string, params: Params): Page<T> {
  const print = hash(key);
  const limit = Math.min(LIMIT_MAX, countParam(params, 'limit', LIMIT_DEFAULT));
  const after = params.get('after') || undefined;
  const before = params.get('before') || undefined;
  let at: Cursor = { offset: 0, rested: false };
  if (after !== undefined) at = decode(print, after);
  else if (before !== undefined) {
    at = { offset: Math.max(0, decode(print, before).offset - limit), rested: true };
  }
  const rests = after !== undefined && !at.rested && at.offset < list.length;
  if (rests && hash(`${key}/${at.offset}`) % 6 === 0) {
    const again = encode(print, { ...at, rested: true });
    return { items: [], before: after, after: again, hasPrevious: true, hasNext: true };
  }
  const items = list.slice(at.offset, at.offset + limit);
  const end = at.offset + items.length;
  return {
    items,
    before: items.length > 0 ? encode(print, at) : undefined,
    after: items.length > 0 ? encode(print, { offset: end, rested: false }) : undefined,
    hasPrevious: at.offset > 0 && items.length > 0,
    hasNext: end < list.length,
  };
}

/** The body of a list: `data` and, unless there is nothing, `paging` with ready-made URLs. */
export function pageJson(
  page: Page<unknown>,
  url: string,
  params: Params,
): Record<string, unknown> {
  const link = (name: 'after' | 'before', cursor: string): string => {
    const query = new URLSearchParams(
      [...params].filter(([key]) => key !== 'after' && key !== 'before'),
    );
    query.set(name, cursor);
    return `${url}?${query.toString()}`;
  };
  const { items, before, after } = page;
  if (before === undefined || after === undefined) return { data: items };
  return {
    data: items,
    paging: {
      cursors: { before, after },
      ...(page.hasNext ? { next: link('after', after) } : {}),
      ...(page.hasPrevious ? { previous: link('before', before) } : {}),
    },
  };
}
