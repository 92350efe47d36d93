import {
  type AuthorizedLink,
  createLink,
  deleteLink,
  findLink,
  listLinks,
  saveCredentials,
  updateLink,
  wantDiscovery,
} from '@tributary/database';
import {
  CREDENTIALS_SCHEMAS,
  IdSchema,
  LinkIdQuerySchema,
  type LinkRecord,
  LinkSchema,
  ListLinksQuerySchema,
  ReplaceCredentialsBodySchema,
  SETTINGS_SCHEMAS,
  UpdateLinkQuerySchema,
} from '@tributary/shared';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { createCursors } from '../http/cursor.ts';
import { defineRoute, type RequestContext, type Route } from '../http/define-route.ts';
import { invalidInputs } from '../http/invalid-input.ts';
import { listReply, PAGES_WORDS } from '../http/page.ts';
import { invalidRequest, ProblemError } from '../http/problem.ts';
import { quote } from '../http/quote.ts';
import { noContent, Reply } from '../http/reply.ts';
import { type CreateLinkOptions, createLinkBodySchema } from './create-link-body.ts';
import { linkRecord } from './records.ts';

const path = '/link';
/** When the last link of a page was created, and its id. */
const PlaceSchema = z.tuple([z.int().min(0), IdSchema]);
/** Each record reads its tree: enough at once to be quick, few enough to leave connections for others. */
const RECORDS_AT_ONCE = 10;

/**
 * The tenant's link with an id; it is what gives leave to read anything of the link.
 *
 * @throws ProblemError `link_not_found`, also for a link of somebody else
 */
export async function requireLink(
  { db }: Pick<Deps, 'db'>,
  { tenant }: Pick<RequestContext, 'tenant'>,
  id: string,
): Promise<AuthorizedLink> {
  const link = await findLink(db, tenant, id);
  if (!link) throw linkNotFound(id);
  return link;
}

/** The answer for a link that is unknown, deleted or somebody else's. */
export function linkNotFound(id: string): ProblemError {
  return new ProblemError('link_not_found', `No link has the id ${quote(id)}`);
}

export const listLinksRoute = defineRoute({
  method: 'GET',
  path,
  summary: 'Linked data records, by creation',
  description: `Without \`tag\` all records, with a blank one those without a tag. ${PAGES_WORDS}`,
  paged: true,
  query: ListLinksQuerySchema,
  response: z.array(LinkSchema),
  scope: 'read',
  async handle({ query, context }, { db }) {
    const { tenant } = context;
    const { tag, cursor } = query;
    const cursors = createCursors({ path: 'link', tenant, filters: [tag] }, PlaceSchema);
    const last = cursors.read(cursor);
    const after = last && { createdAt: last[0], _id: last[1] };
    return listReply({
      query,
      read: (limit) => listLinks(db, tenant, { tag, after, limit }),
      cursorOf: (link) => cursors.write([link.createdAt, link._id]),
      recordsOf: (links) => linkRecords(db, links),
    });
  },
});

async function linkRecords(
  db: Deps['db'],
  links: readonly AuthorizedLink[],
): Promise<LinkRecord[]> {
  const records: LinkRecord[] = [];
  for (let start = 0; start < links.length; start += RECORDS_AT_ONCE) {
    const slice = links.slice(start, start + RECORDS_AT_ONCE);
    records.push(...(await Promise.all(slice.map((link) => linkRecord(db, link)))));
  }
  return records;
}

export function createLinkRoute(options: CreateLinkOptions): Route {
  return defineRoute({
    method: 'POST',
    path,
    summary: 'Links a channel',
    idempotent: true,
    description:
      'The record is Linking until the credentials have worked and the entities are known. Credentials are stored sealed and never sent back.',
    extension: true,
    status: 201,
    problems: ['not_yet_available'],
    query: z.strictObject({}),
    body: createLinkBodySchema(options),
    response: LinkSchema,
    scope: 'write',
    async handle({ body, context: { tenant, now } }, { db, box, builtChannels }) {
      const { type, title, tag, credentials } = body;
      if (!builtChannels.includes(type)) {
        throw new ProblemError('not_yet_available', `Links of type ${type} are not yet available`);
      }
      const settings = SETTINGS_SCHEMAS[type].parse(body.settings ?? {});
      const link = await createLink(db, { tenant, type, title, tag, settings, now });
      const saved = await saveCredentials(db, box, link, credentials, now);
      await wantDiscovery(db, saved ?? link, now);
      return new Reply({ status: 201, data: await linkRecord(db, saved ?? link) });
    },
  });
}

export const updateLinkRoute = defineRoute({
  method: 'PUT',
  path,
  summary: 'Renames or tags a record',
  description: 'A blank `tag` clears it.',
  problems: ['link_not_found'],
  query: UpdateLinkQuerySchema,
  response: LinkSchema,
  scope: 'write',
  async handle({ query: { id, title, tag }, context }, deps) {
    const link = await requireLink(deps, context, id);
    const updated = await updateLink(deps.db, link, {
      ...(title === undefined ? {} : { title }),
      ...(tag === undefined ? {} : { tag }),
    });
    if (!updated) throw linkNotFound(id);
    return linkRecord(deps.db, updated);
  },
});

export const deleteLinkRoute = defineRoute({
  method: 'DELETE',
  path,
  summary: 'Deletes a record with its credentials and statistics',
  problems: ['link_not_found'],
  query: LinkIdQuerySchema,
  scope: 'write',
  async handle({ query, context }, deps) {
    await deleteLink(deps.db, await requireLink(deps, context, query.id), context.now);
    return noContent;
  },
});

/** New credentials for a link: it is linked anew, what was collected stays. */
export const replaceCredentialsRoute = defineRoute({
  method: 'PUT',
  path: '/link/credentials',
  summary: 'Connects a record anew',
  description: 'What was collected stays.',
  extension: true,
  problems: ['link_not_found'],
  query: LinkIdQuerySchema,
  body: ReplaceCredentialsBodySchema,
  response: LinkSchema,
  scope: 'write',
  async handle({ query, body, context }, deps) {
    const link = await requireLink(deps, context, query.id);
    const parsed = z.object({ credentials: CREDENTIALS_SCHEMAS[link.type] }).safeParse(body);
    if (!parsed.success) {
      throw invalidRequest(invalidInputs('body', body, parsed.error.issues));
    }
    const { db, box } = deps;
    const saved = await saveCredentials(db, box, link, parsed.data.credentials, context.now);
    if (!saved) throw linkNotFound(query.id);
    await wantDiscovery(db, saved, context.now);
    return linkRecord(db, saved);
  },
});
