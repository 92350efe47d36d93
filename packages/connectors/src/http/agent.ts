import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';

/** Connections to platforms. Close it when the process stops. */
export function createAgent(
  options: { lookup?: LookupFunction; connectTimeoutMs?: number } = {},
): Agent {
  const { lookup, connectTimeoutMs = 5_000 } = options;
  return new Agent({
    connect: { timeout: connectTimeoutMs, ...(lookup ? { lookup } : {}) },
    connections: 64,
    keepAliveTimeout: 10_000,
  });
}
