import {
  envAuth,
  envBaseUrl,
  envBoolean,
  envCredentialKeys,
  envInteger,
  envLogLevel,
  envMode,
  envPort,
  onlyOpenOnLoopback,
} from '@tributary/runtime';
import { CHANNEL_TYPES, type ChannelType } from '@tributary/shared';
import { z } from 'zod';
import { readNetworks } from './limits/client-address.ts';

const BASE_PATH = /^(?:\/[A-Za-z0-9._~-]+)*$/;

function isChannelType(text: string): text is ChannelType {
  return CHANNEL_TYPES.some((type) => type === text);
}

/** `OLD_NAME:PORTAL1_DA,…` as a map from other names to channel types. */
const ChannelAliasesSchema = z.string().transform((text, context) => {
  const aliases = new Map<string, ChannelType>();
  for (const entry of text.split(',').filter((one) => one.trim() !== '')) {
    const [alias = '', type = '', ...rest] = entry.split(':').map((part) => part.trim());
    if (alias !== '' && rest.length === 0 && isChannelType(type) && !isChannelType(alias)) {
      aliases.set(alias, type);
    } else {
      const message = `expected NAME:CHANNEL with a channel type, got '${entry.trim()}'`;
      context.addIssue({ code: 'custom', message });
    }
  }
  return aliases;
});

/** `https://app.example.com,…` as browsers send them in `Origin`. */
const OriginsSchema = z.string().transform((text, context): ReadonlySet<string> => {
  const origins = new Set<string>();
  for (const entry of text.split(',').map((one) => one.trim())) {
    const url = URL.canParse(entry) ? new URL(entry) : undefined;
    // An address may hold a star, but no browser sends one.
    if (url?.origin === entry && /^https?:[^*]+$/.test(entry)) origins.add(entry);
    else {
      const isNear = url && !['null', entry].includes(url.origin);
      const exact = isNear ? `, perhaps ${url.origin}` : '';
      const message = `expected exact origins like https://app.example.com, got '${entry}'${exact}`;
      context.addIssue({ code: 'custom', message });
    }
  }
  return origins;
});

const TrustedProxiesSchema = z.string().superRefine((text, context) => {
  for (const entry of readNetworks(text).wrong) {
    const message = `expected an address or a network like 10.0.0.0/8, got '${entry}'`;
    context.addIssue({ code: 'custom', message });
  }
});

/** What the API reads from its environment. */
export const ApiEnvSchema = onlyOpenOnLoopback(
  z.object({
    HOST: z.string().default('127.0.0.1').describe('Address the API listens on'),
    API_PORT: envPort().default(8080).describe('Port of the API; 0 chooses a free one'),
    API_ADMIN_PORT: envPort()
      .default(8081)
      .describe('Port of /livez, /readyz and /metrics, on loopback'),
    MONGODB_URI: z.string().describe('MongoDB connection string; its path names the database'),
    CREDENTIALS_KEYS: envCredentialKeys().describe(
      'Keys that seal credentials: kid:base64(32 bytes)[,kid2:…]; the first one seals',
    ),
    AUTH: envAuth().describe(
      'off: everybody is the tenant "default"; only while HOST is a loopback address',
    ),
    RATE_LIMIT_PER_MINUTE: envInteger(0, 1_000_000)
      .default(600)
      .describe('Requests of one API key in a minute, over all processes; 0 sets no limit'),
    AUTH_FAILURES_PER_MINUTE: envInteger(0, 1_000_000)
      .default(60)
      .describe('Failed keys from one address in a minute, in each process; 0 sets no limit'),
    TRUSTED_PROXIES: TrustedProxiesSchema.default('').describe(
      'Addresses and networks of proxies whose X-Forwarded-For is believed: 10.0.0.1,10.1.0.0/16',
    ),
    BASE_PATH: z
      .string()
      .regex(BASE_PATH, { error: 'expected /a/path without a trailing slash' })
      .default('')
      .describe("Path before every endpoint, the interface's base_url"),
    CORS_ORIGINS: OriginsSchema.default(new Set()).describe(
      'Origins whose pages may read the API in a browser: https://app.example.com[,…]; none by default',
    ),
    CHANNEL_ALIASES: ChannelAliasesSchema.default(new Map()).describe(
      'Other names accepted as a channel type: NAME:CHANNEL[,…]',
    ),
    ALLOW_PRIVATE_ADDRESSES: envBoolean()
      .default(false)
      .describe('true: channel feeds may lie inside the own network; for development'),
    CLOCK_URL: envBaseUrl()
      .optional()
      .describe('Follow the clock at this address; refused with NODE_ENV=production'),
    LOG_LEVEL: envLogLevel().describe('Least level of log lines'),
    NODE_ENV: envMode().describe('production refuses CLOCK_URL'),
  }),
);
export type ApiEnv = z.output<typeof ApiEnvSchema>;
