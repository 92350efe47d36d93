import { z } from 'zod';
import type { Fault } from '../control/faults.ts';
import { type Call, type CallNote, json, type Reply } from '../http/call.ts';
import type { Channel } from '../http/channel.ts';
import type { BlogWorld } from '../world/blog.ts';
import { HOUR_MS, isDate } from '../world/days.ts';
import type { DisplayWorld } from '../world/display.ts';
import { Lru } from '../world/lru.ts';
import { hash } from '../world/random.ts';
import { OBSERVATION_LEVELS, observations } from './observations.ts';

export const FEED_TOKEN = 'sandbox-feed-token';
const PAGE_DAYS = 20;
const PAGE_ROWS = 500;

export interface FeedDeps {
  now: () => number;
  blog: BlogWorld;
  display: DisplayWorld;
}

const RANGE = {
  start: z.string().refine(isDate, 'expected YYYY-MM-DD'),
  end: z.string().refine(isDate, 'expected YYYY-MM-DD'),
  cursor: z.string().optional(),
};
/** What an exporter may be asked: observations can be narrowed to an ad account, a level and a list. */
const QUERY_SCHEMAS = {
  '/v1/blog-days': inOrder(z.strictObject(RANGE)),
  '/v1/observations': inOrder(
    z.strictObject({
      ...RANGE,
      account: z.string().optional(),
      level: z.enum(OBSERVATION_LEVELS).optional(),
      dimension: z.string().optional(),
    }),
  ),
};
type FeedPath = keyof typeof QUERY_SCHEMAS;

function inOrder<T extends z.ZodType<{ start: string; end: string }>>(schema: T) {
  return schema.refine(({ start, end }) => start <= end, 'end comes before start');
}

function problem(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Reply {
  return json(status, { error: { code, message } }, headers);
}

/** Adds a strong ETag, and answers 304 when the client has the same bytes. */
function tagged(call: Call, reply: Reply): Reply {
  const etag = `"${hash(reply.body).toString(16)}-${reply.body.length}"`;
  const headers = { ...reply.headers, etag, 'cache-control': 'private, no-cache' };
  const known = (call.headers['if-none-match'] ?? '').split(/\s*,\s*/);
  return known.includes(etag)
    ? { status: 304, headers: { etag }, body: '' }
    : { ...reply, headers };
}

/** The page of a list that a cursor names; undefined for a cursor of another question. */
function cut<T>(
  list: T[],
  size: number,
  print: string,
  cursor: string | undefined,
): { page: T[]; next?: string } | undefined {
  const [name, at = '0'] = Buffer.from(cursor ?? '', 'base64url')
    .toString()
    .split(':');
  if (cursor !== undefined && (name !== print || !/^\d+$/.test(at))) return undefined;
  const offset = cursor === undefined ? 0 : Number(at);
  const next = Buffer.from(`${print}:${offset + size}`).toString('base64url');
  return {
    page: list.slice(offset, offset + size),
    ...(offset + size < list.length ? { next } : {}),
  };
}

/** Names a question, whatever page of it is asked for. */
function printOf(path: FeedPath, query: URLSearchParams): string {
  const asked = [...query]
    .filter(([name]) => name !== 'cursor')
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
  return String(hash(JSON.stringify([path, asked])));
}

function handle(
  deps: FeedDeps,
  lists: Lru<unknown[]>,
  path: FeedPath,
  call: Call,
  note: CallNote,
): Reply {
  const isBlog = path === '/v1/blog-days';
  note.kind = 'feed';
  note.account = isBlog ? 'blog' : call.query.get('account');
  note.level = call.query.get('level');
  if (call.headers.authorization !== `Bearer ${FEED_TOKEN}`) {
    return problem(401, 'unauthorized', 'A valid bearer token is required', {
      'www-authenticate': 'Bearer',
    });
  }
  if (call.path !== path) return problem(404, 'not_found', `Nothing at ${call.path}`);
  if (call.method !== 'GET')
    return problem(405, 'method_not_allowed', call.method, { allow: 'GET' });
  const query = QUERY_SCHEMAS[path].safeParse(Object.fromEntries(call.query));
  if (!query.success) return problem(400, 'invalid_request', z.prettifyError(query.error));
  const { cursor, ...asked } = query.data;
  note.since = asked.start;
  note.until = asked.end;
  const print = printOf(path, call.query);
  const now = deps.now();
  // Figures stand still within an hour of the clock, so pages of one list are cut from one computation.
  const key = `${print}/${Math.floor(now / HOUR_MS)}`;
  const list =
    lists.get(key) ??
    (isBlog ? deps.blog.days(asked.start, asked.end, now) : observations(deps.display, asked, now));
  lists.set(key, list);
  const result = cut(list, isBlog ? PAGE_DAYS : PAGE_ROWS, print, cursor);
  if (result === undefined) return problem(400, 'invalid_cursor', `Unknown cursor '${cursor}'`);
  const { page, next } = result;
  return tagged(
    call,
    json(200, { [isBlog ? 'days' : 'rows']: page, ...(next === undefined ? {} : { next }) }),
  );
}

/** The faults that the feed tells in its own way. */
function distort(path: FeedPath, fault: Fault, reply: Reply, call: Call): Reply | undefined {
  const isBlog = path === '/v1/blog-days';
  switch (fault.fault) {
    case 'throttle':
      return problem(429, 'rate_limited', 'Too many requests', {
        'retry-after': String(Math.ceil(fault.waitSeconds)),
      });
    case 'error500':
      return problem(500, 'internal', 'Something went wrong');
    case 'expired-token':
      return problem(401, 'unauthorized', 'The token is no longer valid', {
        'www-authenticate': 'Bearer error="invalid_token"',
      });
    case 'empty':
      return json(200, isBlog ? { days: [] } : { rows: [] });
    case 'repeated-page': {
      if (reply.status !== 200) return reply;
      const first = Buffer.from(`${printOf(path, call.query)}:0`).toString('base64url');
      const next = call.query.get('cursor') ?? first;
      return json(200, { ...JSON.parse(reply.body), next });
    }
    default:
      return undefined;
  }
}

/** The neutral feed of one channel: blog days for PORTAL1_BLOG, observations for PORTAL1_DA. */
export function createFeed(name: 'PORTAL1_BLOG' | 'PORTAL1_DA', deps: FeedDeps): Channel {
  const path = name === 'PORTAL1_BLOG' ? '/v1/blog-days' : '/v1/observations';
  const lists = new Lru<unknown[]>(8);
  return {
    name,
    handle: (call, note) => handle(deps, lists, path, call, note),
    distort: (fault, reply, call) => distort(path, fault, reply, call),
  };
}
