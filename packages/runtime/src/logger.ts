import { types } from 'node:util';
import { type DestinationStream, pino } from 'pino';
import { LOG_FIELDS } from './log-fields.ts';
import { maskSecrets } from './mask.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const ALLOWED: ReadonlySet<string> = new Set(LOG_FIELDS);

type Plain = string | number | bigint | boolean | null | undefined;

/** Fields beside a message; `err` takes whatever was thrown. Values are masked like messages. */
export type LogFields = Partial<Record<(typeof LOG_FIELDS)[number], Plain | readonly Plain[]>> & {
  err?: unknown;
};

type Write = {
  (message: string): void;
  (fields: LogFields, message: string): void;
};

/** JSON lines on one stream. Messages are plain sentences: nothing is interpolated into them by the logger. */
export interface Logger extends Record<Exclude<LogLevel, 'silent'>, Write> {
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  /** Of the process: `api`, `worker`. */
  name: string;
  level?: LogLevel;
  /** Standard output when absent. */
  destination?: DestinationStream;
}

/**
 * Structured logs from an allow-list: other fields are dropped, objects are never walked, and texts (messages, errors
 * with their causes, values) pass {@link maskSecrets}. A list of forbidden paths would miss the next new place.
 */
export function createLogger({ name, level = 'info', destination }: LoggerOptions): Logger {
  // Errors arrive here already described; the library's own serializer would take them apart again.
  const root = pino(
    {
      name,
      level,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (err) => err },
    },
    destination ?? standardOutput(),
  );
  const wrap = (fixed: Record<string, unknown>): Logger => {
    const writer =
      (at: Exclude<LogLevel, 'silent'>): Write =>
      (first: string | LogFields, message?: string) => {
        if (!root.isLevelEnabled(at)) return;
        const fields = typeof first === 'string' ? {} : pickFields(first);
        const text = typeof first === 'string' ? first : (message ?? '');
        // The message travels as an argument of %s, so that its own percent signs mean nothing.
        root[at]({ ...fixed, ...fields }, '%s', maskSecrets(text));
      };
    return {
      trace: writer('trace'),
      debug: writer('debug'),
      info: writer('info'),
      warn: writer('warn'),
      error: writer('error'),
      fatal: writer('fatal'),
      child: (fields) => wrap({ ...fixed, ...pickFields(fields) }),
    };
  };
  return wrap({});
}

function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true });
  // A full disk or a closed pipe must not end the process: losing log lines is the smaller harm.
  stream.on('error', () => undefined);
  return stream;
}

function pickFields(fields: LogFields): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'err') picked.err = describeError(value);
    else if (ALLOWED.has(name)) {
      const plain = plainValue(value);
      if (plain !== undefined) picked[name] = plain;
    }
  }
  return picked;
}

const LIST_MAX = 50;

function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return maskSecrets(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, LIST_MAX).map((one) => (Array.isArray(one) ? undefined : plainValue(one)));
}

interface DescribedError {
  type: string;
  code?: string | number;
  message: string;
  stack?: string;
  cause?: DescribedError;
}

const CAUSES_MAX = 4;

/** What is said of an error: its kind, code, message and stack with secrets masked, its causes likewise; no other field. */
export function describeError(thrown: unknown, depth = 0): DescribedError {
  // Errors of another realm (a vm context) are errors too, though not instances of this one's class.
  if (!(thrown instanceof Error || types.isNativeError(thrown))) {
    return { type: typeof thrown, message: typeof thrown === 'string' ? maskSecrets(thrown) : '' };
  }
  const described: DescribedError = {
    type: maskSecrets(thrown.name),
    message: maskSecrets(thrown.message),
  };
  const { code } = thrown as { code?: unknown };
  if (typeof code === 'number') described.code = code;
  if (typeof code === 'string') described.code = maskSecrets(code);
  if (thrown.stack) described.stack = maskSecrets(thrown.stack);
  if (thrown.cause !== undefined && depth < CAUSES_MAX) {
    described.cause = describeError(thrown.cause, depth + 1);
  }
  return described;
}
