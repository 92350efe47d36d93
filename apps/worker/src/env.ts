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
import type { ChannelType } from '@tributary/shared';
import { z } from 'zod';

const VariablesSchema = z.object({
  NODE_ENV: envMode().describe('production refuses CLOCK_URL'),
  LOG_LEVEL: envLogLevel().describe('Least level of log lines'),
  HOST: z.string().default('127.0.0.1').describe('Address that the admin port listens on'),
  WORKER_ADMIN_PORT: envPort()
    .default(8082)
    .describe('Port of /queues, /metrics, /livez and /readyz'),
  MONGODB_URI: z
    .string()
    .startsWith('mongodb')
    .describe('MongoDB, with the database name as its path'),
  REDIS_URL: z.string().startsWith('redis').describe('Redis for the queue, budgets and locks'),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[\w-]{1,40}$/)
    .default('tributary')
    .describe('Before every key in Redis'),
  CREDENTIALS_KEYS: envCredentialKeys().describe(
    'Keys that seal credentials: kid:base64(32 bytes)[,kid2:…]; the first one seals',
  ),
  AUTH: envAuth().describe(
    'on: /queues asks for an API key with the scope admin; off: it is open and read-only, only while HOST is a loopback address',
  ),
  FRESH_CONCURRENCY: envInteger(1, 500)
    .default(16)
    .describe('Turns at once per channel in the fresh lane'),
  BULK_CONCURRENCY: envInteger(1, 500)
    .default(8)
    .describe('Turns at once per channel in the bulk lane'),
  TURN_LOCK_MS: envInteger(1_000, 600_000)
    .default(30_000)
    .describe('How long a turn stays with a process that is gone'),
  STALLED_CHECK_MS: envInteger(500, 600_000)
    .default(10_000)
    .describe('How often turns of gone processes are looked for'),
  ROWS_IN_MEMORY: envInteger(50_000, 10_000_000)
    .default(400_000)
    .describe('Rows that all turns of the process hold at once'),
  SOCIAL_ADS_BASE_URL: envBaseUrl()
    .optional()
    .describe('Where SOCIAL_ADS is called; default the platform itself'),
  SEARCH_ENGINE_ADS_BASE_URL: envBaseUrl()
    .optional()
    .describe('Where SEARCH_ENGINE_ADS is called; default the platform itself'),
  PORTAL1_SEARCH_AD_BASE_URL: envBaseUrl()
    .optional()
    .describe('Where PORTAL1_SEARCH_AD is called; default the platform itself'),
  PORTAL2_KEYWORD_BASE_URL: envBaseUrl()
    .optional()
    .describe('Where PORTAL2_KEYWORD is called; default the platform itself'),
  PORTAL2_DISPLAY_BASE_URL: envBaseUrl()
    .optional()
    .describe('Where PORTAL2_DISPLAY is called; default the platform itself'),
  PORTAL1_DA_BASE_URL: envBaseUrl()
    .optional()
    .describe('Where PORTAL1_DA is called; default the platform itself'),
  SEARCH_ENGINE_ADS_TOKEN_URL: envBaseUrl()
    .optional()
    .describe(
      'Where access tokens of SEARCH_ENGINE_ADS are refreshed; default the platform itself',
    ),
  PORTAL1_DA_TOKEN_URL: envBaseUrl()
    .optional()
    .describe('Where access tokens of PORTAL1_DA are refreshed; default the platform itself'),
  ALLOW_PRIVATE_ADDRESSES: envBoolean()
    .default(false)
    .describe('Let feeds live in private networks and on plain http'),
  CLOCK_URL: z.url().optional().describe('A simulated clock to follow; refused in production'),
});

/** Every variable that the worker reads. */
export const WorkerEnvSchema = onlyOpenOnLoopback(VariablesSchema);

export type WorkerEnv = z.output<typeof WorkerEnvSchema>;

const WITH_BASE_URL = [
  'SOCIAL_ADS',
  'SEARCH_ENGINE_ADS',
  'PORTAL1_SEARCH_AD',
  'PORTAL2_KEYWORD',
  'PORTAL2_DISPLAY',
  'PORTAL1_DA',
] as const satisfies readonly ChannelType[];
const WITH_TOKEN_URL = [
  'SEARCH_ENGINE_ADS',
  'PORTAL1_DA',
] as const satisfies readonly ChannelType[];

type Urls = Partial<Record<ChannelType, string>>;

/** Where the platforms are called instead of at their own addresses. */
export function platformUrls(env: WorkerEnv): { baseUrls: Urls; tokenUrls: Urls } {
  const baseUrls: Urls = {};
  const tokenUrls: Urls = {};
  for (const channel of WITH_BASE_URL) {
    const url = env[`${channel}_BASE_URL`];
    if (url !== undefined) baseUrls[channel] = url;
  }
  for (const channel of WITH_TOKEN_URL) {
    const url = env[`${channel}_TOKEN_URL`];
    if (url !== undefined) tokenUrls[channel] = url;
  }
  return { baseUrls, tokenUrls };
}
