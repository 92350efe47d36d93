import { createSandbox } from './create-sandbox.ts';
import { readEnv } from './env.ts';

async function main(): Promise<void> {
  const env = readEnv(process.env);
  const sandbox = createSandbox({
    seed: env.SANDBOX_SEED,
    now: env.SANDBOX_NOW === undefined ? undefined : Date.parse(env.SANDBOX_NOW),
    scale: env.SANDBOX_SCALE,
    requireProof: env.SANDBOX_REQUIRE_PROOF === 'true',
    callsPerHour: env.SANDBOX_CALLS_PER_HOUR,
  });
  const port = await sandbox.listen(env.SANDBOX_PORT, env.SANDBOX_HOST);
  const stop = (): void => {
    sandbox.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`sandbox listening on http://${env.SANDBOX_HOST}:${port}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
