export { type Clock, systemClock } from './clock.ts';
export {
  AppError,
  AuthLostError,
  FatalError,
  RateLimitedError,
  RetryableError,
} from './errors.ts';
export { createReleasers, type Releasers } from './releasers.ts';
