import { type Call, json, type Reply } from '../http/call.ts';
import { hash } from '../world/random.ts';
import { expiredToken, Failure } from './failure.ts';

/** The app and the grant that the simulated platform knows. */
export const SEARCH_CLIENT_ID = '100000000002-sandbox.apps.example';
export const SEARCH_CLIENT_SECRET = 'sandbox-search-secret';
export const SEARCH_REFRESH_TOKEN = 'sandbox-search-refresh-token';
const LIFETIME_S = 3_600;
const SCOPE = 'https://www.googleapis.com/auth/adwords';

/** Access tokens carry their own end and seal, so that they outlive a restart. */
function tokenUntil(seconds: number): string {
  return `sandbox-search-access.${seconds}.${hash(`${SEARCH_REFRESH_TOKEN}/${seconds}`)}`;
}

/** The token endpoint, which sits on a host of its own on the platform: RFC 6749, section 6. */
export function grantToken(call: Call, now: number): Reply {
  const form = new URLSearchParams(call.body);
  const isClient =
    form.get('client_id') === SEARCH_CLIENT_ID &&
    form.get('client_secret') === SEARCH_CLIENT_SECRET;
  if (call.method !== 'POST' || form.get('grant_type') !== 'refresh_token') {
    return refusal(400, 'unsupported_grant_type', 'Invalid grant_type');
  }
  if (!isClient) return refusal(401, 'invalid_client', 'The OAuth client was not found.');
  if (form.get('refresh_token') !== SEARCH_REFRESH_TOKEN) return invalidGrant();
  const until = Math.floor(now / 1000) + LIFETIME_S;
  const body = { access_token: tokenUntil(until), expires_in: LIFETIME_S, scope: SCOPE };
  return json(200, { ...body, token_type: 'Bearer' }, { 'cache-control': 'no-store' });
}

export function invalidGrant(): Reply {
  return refusal(400, 'invalid_grant', 'Token has been expired or revoked.');
}

function refusal(status: number, error: string, error_description: string): Reply {
  return json(status, { error, error_description });
}

/** Throws the platform's refusal unless the call carries an access token that is good at `now`. */
export function checkToken(call: Call, now: number): void {
  const token = /^Bearer (.+)$/i.exec(call.headers.authorization ?? '')?.[1];
  const seconds = Number(/^sandbox-search-access\.(\d+)\.\d+$/.exec(token ?? '')?.[1]);
  if (token === undefined || token !== tokenUntil(seconds)) {
    const message =
      token === undefined
        ? 'Request is missing required authentication credential.'
        : 'Request had invalid authentication credentials.';
    const reason = token === undefined ? 'CREDENTIALS_MISSING' : 'ACCESS_TOKEN_TYPE_UNSUPPORTED';
    throw new Failure({ status: 401, word: 'UNAUTHENTICATED', message, reason });
  }
  if (seconds * 1000 <= now) throw expiredToken();
}
