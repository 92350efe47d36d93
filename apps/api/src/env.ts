import {
  envAuth,
  envBaseUrl,
  envBoolean,
  envCredentialKeys,
  envLogLevel,
  envMode,
  envPort,
  onlyOpenOnLoopback,
} from '@tributary/runtime';
import { CHANNEL_TYPES, type ChannelType } from '@tributary/shared';
import { z } from 'zod';

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
    BASE_PATH: z
      .string()
      .regex(BASE_PATH, { error: 'expected /a/path without a trailing slash' })
      .default('')
      .describe("Path before every endpoint, the interface's base_url"),
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
