import { AuthLostError, type Clock, FatalError, RateLimitedError } from '@tributary/runtime';
import { z } from 'zod';
import type { AccessToken, RateBudget } from '../connector.ts';
import type { HttpAnswer, HttpClient } from '../http/http-client.ts';
import { jsonOf, malformed } from '../http/parse-json.ts';
import { retryAfter } from '../http/retry-after.ts';

export interface RefreshDeps {
  http: HttpClient;
  tokenUrl: string;
  budget: RateBudget;
  clock: Clock;
}

export interface RefreshRequest {
  clientId: string;
  clientSecret: string;
  refreshToken: string;
  /** Whose allowance the call uses. */
  key: string;
  signal: AbortSignal;
  /** Error words that this server sends for a refresh token that is gone, besides `invalid_grant`. */
  grantLostWords?: readonly string[];
}

export interface RefreshedToken extends AccessToken {
  /** The refresh token that takes the place of the old one, where the platform sends one. */
  refreshToken?: string;
}

const BUDGET_WAIT_MS = 10_000;
/** What is told without an `expires_in` is taken to hold as long as these platforms' tokens do. */
const DEFAULT_SECONDS = 3_600;

/** Some servers send the seconds as text. */
const TokenSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().int().positive().max(31_536_000).default(DEFAULT_SECONDS),
  refresh_token: z.string().min(1).optional(),
});
const ErrorSchema = z.object({ error: z.string(), error_description: z.string().optional() });

/**
 * A new access token for a refresh token (RFC 6749, section 6). The error word decides and not the HTTP status: some
 * servers send it with 200.
 *
 * @throws AuthLostError when the grant is gone, FatalError when the client is refused, RetryableError and
 * RateLimitedError for what passes
 */
export async function refreshToken(
  deps: RefreshDeps,
  {
    clientId,
    clientSecret,
    refreshToken: current,
    key,
    signal,
    grantLostWords = [],
  }: RefreshRequest,
): Promise<RefreshedToken> {
  await deps.budget.take(key, BUDGET_WAIT_MS, signal);
  const form = {
    grant_type: 'refresh_token',
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: current,
  };
  const askedAt = deps.clock.now();
  const answer = await deps.http.send({
    method: 'POST',
    url: new URL(deps.tokenUrl),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    signal,
  });
  if (answer.status === 429) {
    const until = retryAfter(answer.headers['retry-after'], deps.clock.now());
    await deps.budget.block(key, until);
    throw new RateLimitedError(until, `${answer.place} answered 429`);
  }
  const refused = ErrorSchema.safeParse(jsonOf(answer));
  if (refused.success) throw refusalOf(answer, refused.data.error, grantLostWords);
  if (answer.status >= 400) throw malformed(answer, `status ${answer.status} without an error`);
  const { access_token: token, expires_in: seconds, refresh_token: next } = tokenOf(answer);
  return {
    token,
    expiresAt: askedAt + seconds * 1_000,
    ...(next !== undefined && next !== current && { refreshToken: next }),
  };
}

/** What is wrong with an answer is told by its place alone: its values are secrets. */
function tokenOf(answer: HttpAnswer): z.output<typeof TokenSchema> {
  const parsed = TokenSchema.safeParse(jsonOf(answer));
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') ?? '';
  throw malformed(answer, `no token in its form (status ${answer.status}, at '${place}')`);
}

/** The platform's own description is left out: it may quote the token. */
function refusalOf(
  { place, status }: HttpAnswer,
  error: string,
  grantLostWords: readonly string[],
): Error {
  const word = /^[a-z_]{1,60}$/.test(error) ? error : 'unknown';
  const said = `${place} refused the refresh token with '${word}' (status ${status}).`;
  if (word === 'invalid_grant' || grantLostWords.includes(word)) {
    return new AuthLostError('grant_rejected', `${said} Connect the link again.`);
  }
  switch (word) {
    case 'invalid_client':
    case 'unauthorized_client':
      return new AuthLostError(
        'grant_rejected',
        `${said} Check clientId and clientSecret, and connect the link again.`,
      );
    case 'temporarily_unavailable':
    case 'server_error':
      return malformed({ place }, said);
    default:
      return new FatalError('bad_request', `${said} The platform may have changed.`);
  }
}
