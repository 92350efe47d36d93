import { listEntities } from '@tributary/database';
import {
  ENTITIES_PAGE_MAX,
  type EntityRecord,
  EntitySchema,
  LEVEL_WORDS,
  LEVELS,
  type Level,
  type LevelWord,
  ListEntitiesQuerySchema,
} from '@tributary/shared';
import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import { invalidRequest } from '../http/problem.ts';
import { quote } from '../http/quote.ts';
import { Reply } from '../http/reply.ts';
import { requireLink } from './links.ts';

const CursorSchema = z.tuple([z.string(), z.string(), z.string(), z.string()]);

type EntitiesQuery = z.output<typeof ListEntitiesQuerySchema>;

/** Names the last entity of a page and the list it was read from, so that it opens no other list. */
function writeCursor({ id, level, parent = '' }: EntitiesQuery, last: string): string {
  return Buffer.from(JSON.stringify([id, level, parent, last])).toString('base64url');
}

/** @throws ProblemError `invalid_request` for a cursor that we did not make for this very list */
function readCursor(query: EntitiesQuery): string | undefined {
  const { id, level, parent = '', cursor } = query;
  if (cursor === undefined) return undefined;
  try {
    const text = Buffer.from(cursor, 'base64url').toString();
    const parsed = CursorSchema.parse(JSON.parse(text));
    const last = parsed[3];
    if (writeCursor(query, last) === cursor) return last;
  } catch {
    // Falls through: whatever is wrong with it, it is not ours.
  }
  const list = `the ${level} list of link ${quote(id)}${parent === '' ? '' : ` below ${quote(parent)}`}`;
  const message = `Invalid value ${quote(cursor)} in query.cursor, expected the cursor of a page of ${list}`;
  throw invalidRequest([{ in: 'query', name: 'cursor', message }]);
}

function levelOf(word: LevelWord): Level {
  return LEVELS.find((level) => LEVEL_WORDS[level] === word) ?? 'a';
}

/** The ids that `value` wants, page by page. */
export const listEntitiesRoute = defineRoute({
  method: 'GET',
  path: '/link/entities',
  summary: 'Ad accounts, campaigns, ad groups or ads of a record',
  description: 'At most 500 a page; the `Link` header names the next one.',
  extension: true,
  problems: ['link_not_found'],
  query: ListEntitiesQuerySchema,
  response: z.array(EntitySchema),
  scope: 'read',
  async handle({ query, context }, deps) {
    const after = readCursor(query);
    const link = await requireLink(deps, context, query.id);
    const limit = query.limit ?? ENTITIES_PAGE_MAX;
    const found = await listEntities(deps.db, link, {
      level: levelOf(query.level),
      ...(query.parent === undefined ? {} : { parent: query.parent }),
      ...(after === undefined ? {} : { after }),
      limit: limit + 1,
    });
    const page = found.slice(0, limit);
    const data: EntityRecord[] = page.map(({ id, title, status, parent }) => ({
      id,
      title,
      level: query.level,
      status,
      parent,
    }));
    const last = page.at(-1);
    if (found.length <= limit || !last) return data;
    const next = new URLSearchParams({
      id: query.id,
      level: query.level,
      ...(query.parent === undefined ? {} : { parent: query.parent }),
      limit: String(limit),
      cursor: writeCursor(query, last.id),
    });
    return new Reply({ headers: { Link: `<?${next.toString()}>; rel="next"` }, data });
  },
});
