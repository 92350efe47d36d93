import { setTimeout as sleep } from 'node:timers/promises';
import { EnvError } from './env.ts';
import { createLogger, type LogFields, type Logger } from './logger.ts';
import { createReleasers, type Releasers } from './releasers.ts';

/** What a composition root gets. */
export interface MainContext {
  /** Every opener registers its closer here. */
  releasers: Releasers;
  /** Aborted when the process was asked to stop, also while it still starts. */
  signal: AbortSignal;
}

export interface MainOptions {
  name: string;
  /** Opens everything and returns once it runs. */
  start: (context: MainContext) => Promise<void>;
  /** How long releasing may take before the process ends anyway. */
  releaseWithinMs?: number;
  logger?: Logger;
}

/**
 * Runs a process from start to exit: SIGINT or SIGTERM releases what was opened and exits 0, a second one exits 1 at
 * once. A failed start, an overrun deadline, an unhandled rejection or an uncaught exception is logged and exits 1.
 * An {@link EnvError} is printed as text, for a person.
 */
export async function runMain(options: MainOptions): Promise<never> {
  const { name, start, releaseWithinMs = 10_000, logger = createLogger({ name }) } = options;
  const releasers = createReleasers();
  const stop = new AbortController();
  const fail = (fields: LogFields, message: string): never => {
    logger.fatal(fields, message);
    process.exit(1);
  };
  process.on('uncaughtException', (err) => fail({ err }, 'Uncaught exception'));
  process.on('unhandledRejection', (err) => fail({ err }, 'Unhandled rejection'));
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (stop.signal.aborted) {
          logger.warn({ signal }, 'Asked to stop again, leaving at once');
          process.exit(1);
        }
        logger.info({ signal }, 'Stopping');
        stop.abort();
        resolve();
      });
    }
  });
  // A start that was asked to stop may still be opening things: it ends first, then all is released.
  const started = start({ releasers, signal: stop.signal }).then(
    () => undefined,
    (err: unknown) => ({ err }),
  );
  const first = await Promise.race([started, asked.then(() => undefined)]);
  if (first === undefined) await asked;

  const release = async () => {
    const failed = await started;
    await releasers.releaseAll();
    // A start that was told to stop usually ends in an abort error: that is no failure.
    return first ?? (stop.signal.aborted ? undefined : failed);
  };
  const late = sleep(releaseWithinMs, 'late' as const);
  const outcome = await Promise.race([release(), late]).catch((err: unknown) => ({ err }));
  if (outcome === 'late') return fail({ timeoutMs: releaseWithinMs }, 'Not released in time');
  if (outcome === undefined) process.exit(0);
  if (outcome.err instanceof EnvError) {
    process.stderr.write(`${name}: ${outcome.err.message}\n`);
    process.exit(1);
  }
  return fail(outcome, first ? 'Could not start' : 'Could not release everything');
}
