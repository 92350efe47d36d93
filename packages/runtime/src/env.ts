import { z } from 'zod';
import { parseCredentialKeys } from './credential-box.ts';
import { LOG_LEVELS } from './logger.ts';

/** The environment does not fit the schema. The message lists every bad variable and no value of a secret. */
export class EnvError extends Error {
  readonly problems: readonly { name: string; reason: string }[];

  constructor(problems: readonly { name: string; reason: string }[]) {
    const lines = problems.map(({ name, reason }) => `  ${name}: ${reason}`);
    super(`The environment is not usable:\n${lines.join('\n')}`);
    this.name = 'EnvError';
    this.problems = problems;
  }
}

/**
 * Reads the variables that the schema names; a blank variable counts as not set.
 *
 * @param schema every key carries `.describe()` as its last call: the documentation is made from it
 * @throws EnvError listing all bad variables at once
 * @throws TypeError when a key of the schema is not described
 */
export function readEnv<Schema extends z.ZodObject>(
  schema: Schema,
  source: Readonly<Record<string, string | undefined>>,
): z.output<Schema> {
  const names = Object.keys(schema.shape);
  const undescribed = names.filter((name) => !(schema.shape[name] as z.ZodType).description);
  if (undescribed.length > 0) {
    throw new TypeError(`Variables without .describe(): ${undescribed.join(', ')}`);
  }
  const given = names.flatMap((name) => (source[name]?.trim() ? [[name, source[name]]] : []));
  const values: Record<string, unknown> = Object.fromEntries(given);
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  throw new EnvError(
    result.error.issues.map((issue) => {
      const name = issue.path.map(String).join('.') || '(together)';
      const missing = issue.path.length === 1 && !(name in values);
      return { name, reason: missing ? 'is required and not set' : issue.message };
    }),
  );
}

/** One of the words; an error quotes what was given. */
function envChoice<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, {
    error: ({ input }) => `expected one of ${words.join(', ')}, got '${String(input)}'`,
  });
}

/** NODE_ENV: nothing that serves simulations only is done by oversight. */
export function envMode() {
  return envChoice(['production', 'development', 'test']).default('production');
}

/** LOG_LEVEL: the least level of log lines. */
export function envLogLevel() {
  return envChoice(LOG_LEVELS).default('info');
}

/** `true` or `false`, nothing else: "false" is false and "yes" is an error. */
export function envBoolean() {
  return z
    .enum(['true', 'false'], {
      error: ({ input }) => `expected true or false, got '${String(input)}'`,
    })
    .transform((text) => text === 'true');
}

/** A whole number in plain digits between the bounds. */
export function envInteger(min: number, max: number) {
  return z.string().transform((text, context) => {
    const value = /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const message = `expected a whole number from ${min} to ${max}, got '${text}'`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** A TCP port; 0 lets the system choose a free one. */
export function envPort() {
  return envInteger(0, 65_535);
}

/**
 * An http or https address that paths are appended to, so without a trailing slash. The value is quoted in no error:
 * it may hold a password by mistake.
 */
export function envBaseUrl() {
  return z.string().transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const reason =
      !url || !['http:', 'https:'].includes(url.protocol)
        ? 'expected an address that begins with http:// or https://'
        : url.username || url.password
          ? 'must not hold a user name or password'
          : url.search || url.hash
            ? 'must not hold a query or fragment'
            : undefined;
    if (url && !reason) return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
    context.addIssue({ code: 'custom', message: reason ?? 'is not an address' });
    return z.NEVER;
  });
}

/** AUTH: whether a key is asked for. The schema passes {@link onlyOpenOnLoopback}. */
export function envAuth() {
  return envChoice(['on', 'off']).default('on');
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/** Refuses AUTH=off, which serves everybody, unless only the own machine can reach HOST. */
export function onlyOpenOnLoopback<
  Schema extends z.ZodObject<{
    AUTH: z.ZodType<'on' | 'off' | undefined>;
    HOST: z.ZodType<string | undefined>;
  }>,
>(schema: Schema): Schema {
  return schema.refine(({ AUTH, HOST }) => AUTH === 'on' || LOOPBACK.test(HOST ?? ''), {
    error: "off is allowed only while HOST is a loopback address like '127.0.0.1'",
    path: ['AUTH'],
    // Named together with whatever else is wrong; by default it would wait until all that is mended.
    when: ({ issues }) => !issues.some(({ path }) => path?.[0] === 'AUTH' || path?.[0] === 'HOST'),
  });
}

/** CREDENTIALS_KEYS, for {@link createCredentialBox}. An error names the entry or the key's id, never the key. */
export function envCredentialKeys() {
  return z.string().superRefine((text, context) => {
    const message = wrongKeys(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

function wrongKeys(text: string): string | undefined {
  try {
    const same = [...parseCredentialKeys(text)].find(([, key]) => new Set(key).size === 1);
    return same && `key '${same[0]}' is one byte over and over, set a random one`;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}
