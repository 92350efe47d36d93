import { z } from 'zod';
import type { ChannelType } from '../channels.ts';
import { isZone } from '../days.ts';
import { filledText } from './text.ts';

/** The channels whose connector is built; a link of another one is `not_yet_available`. */
export const BUILT_CHANNELS: readonly ChannelType[] = [
  'SOCIAL_ADS',
  'PORTAL1_SEARCH_AD',
  'PORTAL2_KEYWORD',
  'PORTAL2_DISPLAY',
  'PORTAL1_DA',
  'SEARCH_ENGINE_ADS',
  'PORTAL1_BLOG',
];

const SecretSchema = filledText(8192);
const NameSchema = filledText(200);

/** Platform 1 spells an ad account `act_1117058506831` or without the prefix; both are taken. */
const SocialAccountIdsSchema = z
  .array(
    z.string().regex(/^(?:act_)?\d{1,30}$/, { error: 'expected digits, with or without act_' }),
  )
  .min(1)
  .max(1000)
  .optional();

const NumberTextSchema = z.string().regex(/^\d{1,30}$/, { error: 'expected digits' });
/** Platform 2 shows an account's id as 123-456-7890; both forms are taken. */
const CustomerIdSchema = z
  .string()
  .regex(/^\d{3}-?\d{3}-?\d{4}$/, { error: 'expected 10 digits, with or without dashes' });

/** Sent in a header. */
const DeveloperTokenSchema = z
  .string()
  .regex(/^[\w-]{1,100}$/, { error: 'expected letters, digits, _ and -' });

/** Sent in a header, which holds no other characters. */
const HeaderTokenSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,8192}$/, { error: 'expected ASCII characters without spaces' });

/** The address of a channel feed. Where it leads is checked when it is saved and again at every connect. */
const FeedUrlSchema = filledText(2000)
  .refine((value) => URL.canParse(value) && /^https?:\/\//i.test(value), {
    error: 'expected an http or https address',
    abort: true,
  })
  .refine((value) => isBare(new URL(value)), {
    error: 'expected an address without user name, password and fragment',
    abort: true,
  });

function isBare({ username, password, hash }: URL): boolean {
  return username === '' && password === '' && hash === '';
}

export const HISTORY_DAYS_DEFAULT = 400;
/** Days wanted before the one on which an account is first listed; no platform has more than 1,120. */
export const HistoryDaysSchema = z.int().min(1).max(1120);

const COMMON_SETTINGS = {
  historyDays: HistoryDaysSchema.default(HISTORY_DAYS_DEFAULT),
  /** Used only where the platform names none. */
  timezone: z.string().refine(isZone, { error: 'expected an IANA time zone' }).optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, { error: 'expected an ISO 4217 currency code' })
    .optional(),
};

const BusinessTokenSchema = z.strictObject({ businessToken: HeaderTokenSchema });
const PORTAL2_SETTINGS = {
  ...COMMON_SETTINGS,
  adAccountIds: z
    .array(z.string().regex(/^\d{1,20}$/, { error: 'expected digits' }))
    .min(1)
    .max(1000)
    .optional(),
  /** Days after the click within which a conversion counts. */
  conversionWindowDays: z.union([z.literal(1), z.literal(7)]).optional(),
};

/**
 * What a client must bring to link a channel. Stored encrypted as a whole, never sent back, never logged, and never
 * quoted in an error. The connectors read what is stored by the same schemas: whatever the API accepts can be used.
 */
export const CREDENTIALS_SCHEMAS = {
  SOCIAL_ADS: z.strictObject({
    accessToken: SecretSchema,
    appId: NameSchema.optional(),
    appSecret: SecretSchema.optional(),
  }),
  SEARCH_ENGINE_ADS: z.strictObject({
    clientId: NameSchema,
    clientSecret: SecretSchema,
    refreshToken: SecretSchema,
    developerToken: DeveloperTokenSchema.optional(),
    /** The manager account through which the others are reached. */
    loginCustomerId: CustomerIdSchema.optional(),
  }),
  PORTAL1_SEARCH_AD: z.strictObject({
    /** Whose data is read; one link reads one. */
    customerId: z.string().regex(/^\d{1,20}$/, { error: 'expected digits' }),
    /** The access licence; like all of a header without spaces. */
    apiKey: HeaderTokenSchema,
    secretKey: SecretSchema,
  }),
  PORTAL2_KEYWORD: BusinessTokenSchema,
  PORTAL2_DISPLAY: BusinessTokenSchema.extend({ appId: NameSchema.optional() }),
  PORTAL1_DA: z.strictObject({
    clientId: NameSchema,
    clientSecret: SecretSchema,
    refreshToken: SecretSchema,
    /** Sent in a header; a login with several manager accounts names the one that counts. */
    accessManagerId: NumberTextSchema.optional(),
    feedToken: HeaderTokenSchema.optional(),
  }),
  PORTAL1_BLOG: z.strictObject({ feedToken: HeaderTokenSchema.optional() }),
} as const satisfies Record<ChannelType, z.ZodType>;

/** What a client may choose for a link; nothing in here is secret. Stored as parsed, and read by the same schema again. */
export const SETTINGS_SCHEMAS = {
  SOCIAL_ADS: z.strictObject({
    ...COMMON_SETTINGS,
    accountIds: SocialAccountIdsSchema,
    /** The one action type that counts as a conversion; the platform's types overlap and are never added. */
    conversion: NameSchema.default('omni_purchase'),
  }),
  SEARCH_ENGINE_ADS: z.strictObject({
    ...COMMON_SETTINGS,
    customerIds: z.array(CustomerIdSchema).min(1).max(1000).optional(),
  }),
  PORTAL1_SEARCH_AD: z.strictObject({
    ...COMMON_SETTINGS,
    /** The platform's kinds that count as a conversion; they do not overlap and are added up. */
    conversionKinds: z.array(NameSchema).min(1).max(50).default(['purchase']),
  }),
  PORTAL2_KEYWORD: z.strictObject({
    ...PORTAL2_SETTINGS,
    /** The platform's names of its dimensions, where they are not DEVICE, HOUR and PLACEMENT. */
    dimensions: z
      .strictObject({
        device: NameSchema.optional(),
        hour: NameSchema.optional(),
        placement: NameSchema.optional(),
      })
      .optional(),
  }),
  PORTAL2_DISPLAY: z.strictObject(PORTAL2_SETTINGS),
  PORTAL1_DA: z.strictObject({
    ...COMMON_SETTINGS,
    adAccountIds: z.array(NumberTextSchema).min(1).max(1000).optional(),
    feedUrl: FeedUrlSchema.optional(),
  }),
  PORTAL1_BLOG: z.strictObject({ ...COMMON_SETTINGS, feedUrl: FeedUrlSchema.optional() }),
} as const satisfies Record<ChannelType, z.ZodType>;
