import { blogAccount, FeedBlogDaySchema, FeedObservationSchema } from '@tributary/connectors';
import {
  type Account,
  type AuthorizedLink,
  createImportStage,
  holdImportLock,
  IMPORT_LOCK_MS,
  listAccounts,
  randomId,
  releaseImportLock,
  saveAccounts,
  setLinkStatus,
} from '@tributary/database';
import {
  CHANNELS,
  type ChannelType,
  type ImportResult,
  ImportResultSchema,
  LinkIdQuerySchema,
  lacksFeed,
  SETTINGS_SCHEMAS,
} from '@tributary/shared';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { ProblemError } from '../http/problem.ts';
import type { Upload } from '../http/upload.ts';
import { type CsvColumns, readCsvRows } from '../import/csv-rows.ts';
import { importFile } from '../import/import-file.ts';
import { readJsonRows } from '../import/json-rows.ts';
import { utf8Text } from '../import/utf8-text.ts';
import { requireLink } from './links.ts';

const [JSON_TYPE, CSV_TYPE] = ['application/json', 'text/csv'] as const;
/** Each holds some ten thousand rows. */
const IMPORTS_AT_ONCE = 3;
/** An upload may take minutes: one tenant's keep nobody else's waiting. */
const TENANT_IMPORTS_AT_ONCE = 2;

/** Stores the rows of a file as if the channel's feed had given them. */
export function createImportRoute(): Route {
  /** The tenants of the imports under way. */
  const underWay: string[] = [];
  return defineRoute({
    method: 'POST',
    path: '/link/import',
    summary: 'Stores the rows of a file as if the feed of the channel had given them',
    description:
      'For PORTAL1_BLOG (`days`) and PORTAL1_DA (`rows`), at most 100 MB. All or nothing for each day: a day with a faulty row is not stored, the others are.',
    extension: true,
    problems: ['link_not_found', 'wrong_channel', 'conflict', 'unsupported_media_type'],
    query: LinkIdQuerySchema,
    upload: [JSON_TYPE, CSV_TYPE],
    response: ImportResultSchema,
    scope: 'write',
    async handle({ query: { id }, context }, deps) {
      const { upload, now } = context;
      if (!upload) throw new TypeError('The route was mounted without its upload');
      const link = await requireLink(deps, context, id);
      checkChannel(link.type);
      const own = underWay.filter((tenant) => tenant === link.tenant).length;
      if (underWay.length >= IMPORTS_AT_ONCE || own >= TENANT_IMPORTS_AT_ONCE) throw crowded();
      underWay.push(link.tenant);
      try {
        return await importOnce(deps, { link, upload, now });
      } finally {
        underWay.splice(underWay.indexOf(link.tenant), 1);
      }
    },
  });
}

function checkChannel(type: ChannelType): void {
  if (CHANNELS[type].sources.some(({ feed }) => feed)) return;
  const message = `A link of type ${type} takes no files: only PORTAL1_BLOG and PORTAL1_DA do`;
  throw new ProblemError('wrong_channel', message);
}

function crowded(): ProblemError {
  const headers = { 'Retry-After': '10' };
  return new ProblemError('unavailable', 'Other files are being imported; try again shortly', {
    headers,
  });
}

interface Import {
  link: AuthorizedLink;
  upload: Upload;
  now: number;
}

/** One import of a link at a time, whichever process it came to. */
async function importOnce(deps: Deps, input: Import): Promise<ImportResult> {
  const { db, clock, logger } = deps;
  const { link, now } = input;
  const accounts = await importAccounts(deps, input);
  const owner = randomId();
  if (!(await holdImportLock(db, link, { owner, now }))) {
    throw conflict('Another file is being imported into this link', IMPORT_LOCK_MS / 1000);
  }
  let holding: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    holding = holdImportLock(db, link, { owner, now: clock.now() }).catch((err: unknown) =>
      logger.warn({ link: link._id, err }, 'The lock of an import could not be extended'),
    );
  }, IMPORT_LOCK_MS / 3);
  const stage = createImportStage(db, { id: owner, link: link._id, tenant: link.tenant, now });
  try {
    const result = await importFile(deps, {
      link,
      accounts,
      rows: rowsOf(input),
      stage,
      now,
      checkLink: async () => void (await requireLink(deps, link, link._id)),
    });
    await complete(deps, link, result);
    return result;
  } finally {
    clearInterval(timer);
    await holding; // later, it would take the lock again
    // What stays behind goes by itself; the answer does not depend on it.
    await stage.clear().catch(() => {});
    await releaseImportLock(db, link, owner).catch(() => {});
  }
}

function conflict(message: string, seconds: number): ProblemError {
  return new ProblemError('conflict', message, { headers: { 'Retry-After': String(seconds) } });
}

/**
 * The accounts that rows may belong to. A blog is known without asking anybody; campaigns and ad groups have to be.
 *
 * @throws ProblemError `conflict` while the link waits for a person or is paused, or its campaigns are not known yet
 */
async function importAccounts({ db }: Deps, { link, now }: Import): Promise<Account[]> {
  if (link.status === 'Disconnect') {
    const why = link.reason ? ` (${link.reason.message})` : '';
    throw new ProblemError('conflict', `The link waits for a person${why}: connect it again first`);
  }
  if (link.pausedAt !== undefined) {
    const message = 'The link is paused: resume it with PUT /link/schedule first';
    throw new ProblemError('conflict', message);
  }
  const channel = CHANNELS[link.type];
  const known = await listAccounts(db, link._id);
  if (channel.kind === 'blog') {
    if (known.length > 0) return known;
    const settings = SETTINGS_SCHEMAS.PORTAL1_BLOG.parse(link.settings);
    const listing = {
      now,
      historyDays: settings.historyDays,
      withoutFeed: lacksFeed(channel, settings),
    };
    await saveAccounts(db, link, [blogAccount(settings)], listing);
    return await listAccounts(db, link._id);
  }
  const open = known.filter(({ status }) => status !== 'closed');
  if (open.length > 0 && open.every(({ tree }) => tree.fetchedAt !== undefined)) return known;
  throw conflict("The link's campaigns are not known yet", 30);
}

function rowsOf({ link, upload }: Import) {
  const text = utf8Text(upload.bytes);
  return upload.mediaType === CSV_TYPE
    ? readCsvRows(text, COLUMNS[CHANNELS[link.type].kind])
    : readJsonRows(text);
}

function columnsOf(schema: z.ZodObject, json: readonly string[]): CsvColumns {
  const fields = Object.entries(schema.shape);
  const isOptional = ([, field]: (typeof fields)[number]) =>
    (field as z.ZodType).safeParse(undefined).success;
  return {
    required: fields.filter((one) => !isOptional(one)).map(([name]) => name),
    optional: fields.filter(isOptional).map(([name]) => name),
    json: new Set(json),
  };
}

const BLOG_NAMES = Object.keys(FeedBlogDaySchema.shape).filter((name) => name !== 'date');
const COLUMNS: Readonly<Record<'ads' | 'blog', CsvColumns>> = {
  ads: columnsOf(FeedObservationSchema, []),
  blog: columnsOf(FeedBlogDaySchema, BLOG_NAMES),
};

/** A blog without a feed is linked when its first days are there. */
async function complete(
  { db, clock }: Deps,
  link: AuthorizedLink,
  { days }: ImportResult,
): Promise<void> {
  const isBlog = CHANNELS[link.type].kind === 'blog';
  if (!isBlog || !lacksFeed(CHANNELS[link.type], link.settings)) return;
  if (days.stored + days.unchanged === 0) return;
  await setLinkStatus(db, link._id, {
    status: 'Completed',
    reason: null,
    gen: link.gen,
    now: clock.now(),
  });
}
