import { listEntities, type StoredEntity } from '@tributary/database';
import {
  type EntityRecord,
  EntitySchema,
  IdSchema,
  LEVEL_WORDS,
  LEVELS,
  type Level,
  type LevelWord,
  ListEntitiesQuerySchema,
  PAGE_MAX,
} from '@tributary/shared';
import { z } from 'zod';
import { createCursors } from '../http/cursor.ts';
import { defineRoute } from '../http/define-route.ts';
import { listReply } from '../http/page.ts';
import { requireLink } from './links.ts';

/** The last entity of a page. */
const PlaceSchema = z.tuple([IdSchema]);

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
  paged: true,
  problems: ['link_not_found'],
  query: ListEntitiesQuerySchema,
  response: z.array(EntitySchema),
  scope: 'read',
  async handle({ query, context }, deps) {
    const { id, level, parent } = query;
    const list = { path: 'link/entities', tenant: context.tenant, filters: [id, level, parent] };
    const cursors = createCursors(list, PlaceSchema);
    const [after] = cursors.read(query.cursor) ?? [];
    const link = await requireLink(deps, context, id);
    return listReply({
      query,
      isAlwaysPaged: true,
      read: (limit = PAGE_MAX) =>
        listEntities(deps.db, link, { level: levelOf(level), parent, after, limit }),
      cursorOf: (last) => cursors.write([last.id]),
      recordsOf: (entities) => entities.map((entity) => entityRecord(entity, level)),
    });
  },
});

function entityRecord({ id, title, status, parent }: StoredEntity, level: LevelWord): EntityRecord {
  return { id, title, level, status, parent };
}
