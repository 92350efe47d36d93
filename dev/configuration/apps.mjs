// @ts-check
import { ApiEnvSchema } from '../../apps/api/src/env.ts';
import { EnvSchema as SandboxEnvSchema } from '../../apps/sandbox/src/env.ts';
import { WorkerEnvSchema } from '../../apps/worker/src/env.ts';
import { readSchema } from './read-schema.mjs';

/** @typedef {{ name: string, variables: import('./read-schema.mjs').Variable[] }} App */

/**
 * Every app with what it reads from its environment.
 * @returns {App[]}
 */
export function readApps() {
  return [
    { name: 'api', variables: readSchema(ApiEnvSchema) },
    { name: 'worker', variables: readSchema(WorkerEnvSchema) },
    { name: 'sandbox', variables: readSchema(SandboxEnvSchema) },
  ];
}
