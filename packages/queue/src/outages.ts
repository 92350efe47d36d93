import type { Redis } from 'ioredis';
import type { QueueLogger } from './logger.ts';

const CODES: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
/** What the clients say of a connection that is gone or not there yet; these errors carry no code. */
const WORDS =
  /^Connection is (?:closed|ended)|^Connection ended|^Stream isn't writeable|max retries per request|^connect ETIMEDOUT/i;

/** True when Redis could not be reached: every queue and worker on a connection then says so, again and again. */
export function isOutage(error: Error & { code?: unknown }): boolean {
  return CODES.has(error.code) || WORDS.test(error.message);
}

/** One line when the connection goes away, one when it is back, however often it is tried; other errors as they come. */
export function reportOutages(connection: Redis, service: string, logger: QueueLogger): void {
  let away = false;
  const goAway = (reason: string) => {
    if (!away) logger.warn({ service, reason }, 'Redis does not answer');
    away = true;
  };
  connection.on('error', (error: Error) => {
    if (isOutage(error)) goAway(error.message);
    else logger.warn({ service, reason: error.message }, 'Redis connection trouble');
  });
  // A server that ends the connection in order causes no error.
  connection.on('reconnecting', () => goAway('The connection was closed'));
  connection.on('ready', () => {
    if (away) logger.info({ service }, 'Redis answers again');
    away = false;
  });
}
