export {
  type AdminServer,
  type AdminServerOptions,
  createAdminServer,
  type Health,
  sendAdminProblem,
} from './admin-server.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  type CredentialBox,
  CredentialError,
  type CredentialPlace,
  createCredentialBox,
} from './credential-box.ts';
export {
  EnvError,
  envAuth,
  envBaseUrl,
  envBoolean,
  envCredentialKeys,
  envInteger,
  envLogLevel,
  envMode,
  envPort,
  onlyOpenOnLoopback,
  readEnv,
} from './env.ts';
export {
  AppError,
  AuthLostError,
  FatalError,
  RateLimitedError,
  RetryableError,
} from './errors.ts';
export { readKeyHeader } from './key-header.ts';
export {
  createLogger,
  describeError,
  LOG_LEVELS,
  type LogFields,
  type Logger,
  type LogLevel,
} from './logger.ts';
export { createLru, type Lru } from './lru.ts';
export { maskSecrets } from './mask.ts';
export { Counter, createMetrics, Gauge, Histogram, type Registry } from './metrics.ts';
export { isPrivateAddress } from './private-address.ts';
export { type MainContext, type MainOptions, runMain } from './process.ts';
export { createReleasers, type Releasers } from './releasers.ts';
export { createRemoteClock, type RemoteClock, type RemoteClockOptions } from './remote-clock.ts';
