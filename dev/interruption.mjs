// @ts-check

/**
 * A signal that aborts when somebody wants us to end: Ctrl-C, a closed terminal, a plain kill. Later signals change nothing, as the
 * way out has begun; every wait on it is bounded.
 * @returns {AbortSignal}
 */
export function interruption() {
  const controller = new AbortController();
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(name, () => controller.abort(new Error(`Interrupted by ${name}`)));
  }
  // A closed terminal or pipe must not cut the way out short.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return controller.signal;
}
