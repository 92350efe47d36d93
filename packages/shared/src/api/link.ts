import { z } from 'zod';
import { CHANNEL_TYPES, type ChannelType } from '../channels.ts';
import { ENTITY_STATUSES, LEVEL_WORDS } from '../levels.ts';
import { TAG_MAX, TITLE_MAX } from './comment.ts';
import { CREDENTIALS_SCHEMAS, SETTINGS_SCHEMAS } from './credentials.ts';
import { IdSchema } from './entity.ts';
import { PAGE_QUERY } from './page.ts';
import { blankableText, filledText } from './text.ts';

export const LINK_STATUSES = ['Linking', 'Completed', 'Disconnect'] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

const CAMPAIGN_FIELDS = {
  id: z.string(),
  title: z.string(),
  level: z.enum([LEVEL_WORDS.a, LEVEL_WORDS.c]),
  status: z.enum(ENTITY_STATUSES),
};

/** An ad account or campaign of a link's `child`. */
export const LinkChildSchema = z.strictObject({
  ...CAMPAIGN_FIELDS,
  child: z.array(z.strictObject(CAMPAIGN_FIELDS)).optional(),
});
export type LinkChild = z.infer<typeof LinkChildSchema>;

/** A linked data record as sent (the interface's 2.1). */
export const LinkSchema = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    status: z.enum(LINK_STATUSES),
    type: z.enum(CHANNEL_TYPES),
    tag: z.string(),
    child: z.array(LinkChildSchema).optional(),
  })
  .meta({ id: 'Link' });
export type LinkRecord = z.infer<typeof LinkSchema>;

/** GET /link: without `tag` all records, with a blank one those without a tag. */
export const ListLinksQuerySchema = z.strictObject({
  tag: blankableText(TAG_MAX).optional(),
  ...PAGE_QUERY,
});

/** PUT /link: renames, tags anew, or both; a blank tag clears it. */
export const UpdateLinkQuerySchema = z
  .strictObject({
    id: IdSchema,
    title: filledText(TITLE_MAX).optional(),
    tag: blankableText(TAG_MAX).optional(),
  })
  .refine(({ title, tag }) => title !== undefined || tag !== undefined, {
    error: 'expected title, tag or both',
    path: ['title'],
  });

export const LinkIdQuerySchema = z.strictObject({ id: IdSchema });

function createBody<Type extends ChannelType>(type: Type) {
  return z.strictObject({
    type: z.literal(type),
    title: filledText(TITLE_MAX),
    tag: blankableText(TAG_MAX).default(''),
    credentials: CREDENTIALS_SCHEMAS[type],
    settings: SETTINGS_SCHEMAS[type].optional(),
  });
}

/** POST /link: what is asked for depends on the channel. */
export const CreateLinkBodySchema = z.discriminatedUnion(
  'type',
  [
    createBody('SOCIAL_ADS'),
    createBody('PORTAL1_SEARCH_AD'),
    createBody('SEARCH_ENGINE_ADS'),
    createBody('PORTAL2_KEYWORD'),
    createBody('PORTAL2_DISPLAY'),
    createBody('PORTAL1_DA'),
    createBody('PORTAL1_BLOG'),
  ],
  { error: `expected one of ${CHANNEL_TYPES.join(', ')}` },
);

/** PUT /link/credentials: checked against the link's channel once that is known. */
export const ReplaceCredentialsBodySchema = z.strictObject({
  credentials: z.record(z.string(), z.unknown()),
});
