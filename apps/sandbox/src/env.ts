import { z } from 'zod';

/** An environment variable that is set to nothing counts as not set. */
const blankAsUnset = (value: unknown): unknown => (value === '' ? undefined : value);

export const EnvSchema = z.object({
  SANDBOX_PORT: z
    .preprocess(blankAsUnset, z.coerce.number().int().min(0).max(65_535).default(8090))
    .describe('Port of the simulated platforms; 0 takes a free one'),
  SANDBOX_HOST: z
    .preprocess(blankAsUnset, z.string().default('127.0.0.1'))
    .describe('Address to listen on'),
  SANDBOX_SEED: z
    .preprocess(blankAsUnset, z.string().default('tributary'))
    .describe('Every id and figure is a function of this text'),
  SANDBOX_NOW: z
    .preprocess(blankAsUnset, z.iso.datetime({ offset: true }).optional())
    .describe('What the sandbox clock shows at the start, ISO 8601; without it real time'),
  SANDBOX_SCALE: z
    .preprocess(blankAsUnset, z.coerce.number().int().min(1).max(200).default(1))
    .describe('Multiplies the standing campaigns of the advertising channels'),
  SANDBOX_REQUIRE_PROOF: z
    .preprocess(blankAsUnset, z.enum(['true', 'false']).default('false'))
    .describe('Whether the social app demands appsecret_proof'),
  SANDBOX_CALLS_PER_HOUR: z
    .preprocess(blankAsUnset, z.coerce.number().int().min(0).optional())
    .describe(
      'Calls per social account and hour; 0 = unlimited, and no limits of the display platforms; default the limited tier of the platform',
    ),
});

export type Env = z.infer<typeof EnvSchema>;

/** Reads the variables; throws one error that names every bad one. */
export function readEnv(source: Record<string, string | undefined>): Env {
  const parsed = EnvSchema.safeParse(source);
  if (parsed.success) return parsed.data;
  throw new Error(`Invalid environment:\n${z.prettifyError(parsed.error)}`);
}
