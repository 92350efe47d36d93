import { createHmac } from 'node:crypto';
import type { Call, Reply } from '../http/call.ts';
import { json } from '../http/call.ts';
import { hash } from '../world/random.ts';
import { badParameter, GraphError, tokenError } from './graph-error.ts';
import type { Params } from './params.ts';

/** The token, app id and app secret that the simulated platform knows. */
export const SOCIAL_TOKEN = 'sandbox-social-token';
export const SOCIAL_APP_ID = '100000000000001';
export const SOCIAL_APP_SECRET = 'sandbox-social-secret';
const LONG_LIVED_S = 5_184_000;

/** Tokens that the exchange gave out carry their own seal, so that they outlive a restart. */
function longLived(expiresS: number): string {
  return `${SOCIAL_TOKEN}.${expiresS}.${hash(`${SOCIAL_TOKEN}/${expiresS}`)}`;
}

function expiryOf(token: string): number | undefined {
  if (token === SOCIAL_TOKEN) return 0;
  const expires = Number(/^sandbox-social-token\.(\d+)\.\d+$/.exec(token)?.[1]);
  return token === longLived(expires) ? expires : undefined;
}

export function readToken(call: Call, params: Params): string | undefined {
  return params.get('access_token') ?? /^Bearer (.+)$/i.exec(call.headers.authorization ?? '')?.[1];
}

/** True for the app's own token, which may ask about every token of its users. */
export function isAppToken(call: Call, params: Params): boolean {
  return readToken(call, params) === `${SOCIAL_APP_ID}|${SOCIAL_APP_SECRET}`;
}

/** Throws the platform's error unless the call carries a token that is good at `now`, and the right proof if one is due. */
export function checkToken(call: Call, params: Params, now: number, requireProof: boolean): void {
  const token = readToken(call, params);
  if (token === undefined || token === '') {
    throw new GraphError({
      code: 104,
      message: '(#104) An access token is required to request this resource.',
    });
  }
  const expires = expiryOf(token);
  if (expires === undefined)
    throw tokenError(undefined, 'Invalid OAuth access token - Cannot parse access token');
  if (expires > 0 && expires * 1000 <= now) {
    throw tokenError(463, 'Error validating access token: Session has expired');
  }
  const proof = params.get('appsecret_proof');
  if (proof === undefined && !requireProof) return;
  const right = createHmac('sha256', SOCIAL_APP_SECRET).update(token).digest('hex');
  if (proof === right) return;
  const message =
    proof === undefined
      ? 'API calls from the server require an appsecret_proof argument'
      : 'Invalid appsecret_proof provided in the API argument';
  throw new GraphError({ code: 100, type: 'GraphMethodException', message });
}

/** `/oauth/access_token`: a good token for one of about 60 days. */
export function exchangeToken(params: Params, now: number): Reply {
  if (params.get('grant_type') !== 'fb_exchange_token')
    throw badParameter('grant_type must be fb_exchange_token');
  if (
    params.get('client_id') !== SOCIAL_APP_ID ||
    params.get('client_secret') !== SOCIAL_APP_SECRET
  ) {
    throw new GraphError({ code: 1, message: 'Error validating client secret.' });
  }
  const expires = expiryOf(params.get('fb_exchange_token') ?? '');
  if (expires === undefined || (expires > 0 && expires * 1000 <= now)) {
    throw tokenError(463, 'Error validating access token: Session has expired');
  }
  const access_token = longLived(Math.floor(now / 1000) + LONG_LIVED_S);
  return json(200, { access_token, token_type: 'bearer', expires_in: LONG_LIVED_S });
}

/** `/debug_token`: what is known of a token, also of a bad one. */
export function debugToken(params: Params, now: number): Reply {
  const expires = expiryOf(params.get('input_token') ?? '');
  const isValid = expires !== undefined && (expires === 0 || expires * 1000 > now);
  const data = {
    app_id: SOCIAL_APP_ID,
    type: 'USER',
    expires_at: expires ?? 0,
    data_access_expires_at: Math.floor(now / 1000) + 90 * 86_400,
    is_valid: isValid,
    scopes: isValid ? ['ads_read', 'public_profile'] : [],
    user_id: '100000000000077',
    ...(isValid ? {} : { error: { code: 190, message: 'Malformed or expired access token' } }),
  };
  return json(200, { data });
}
