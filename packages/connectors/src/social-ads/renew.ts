import { budgetKey, type GraphAccess, type GraphClient } from './client.ts';
import {
  ProviderExchangeSchema,
  ProviderTokenStateSchema,
  type SocialAdsCredentials,
} from './schema.ts';

/** A token of a login ends within hours, an exchanged one after 60 days: both are renewed when they come this close. */
const RENEW_BEFORE_MS = 14 * 86_400_000;

/**
 * A token of about 60 days for one that is about to end; the old one goes on working until its own end. Only the app may
 * ask for it, and only before the end. A token without an end (a system user's) is left alone.
 *
 * @returns undefined when there is nothing to renew, or the app is not known
 */
export async function renewToken(
  graph: GraphClient,
  access: GraphAccess,
  now: number,
): Promise<SocialAdsCredentials | undefined> {
  const { accessToken, appId, appSecret } = access.credentials;
  if (appId === undefined || appSecret === undefined) return undefined;
  const key = budgetKey(access, '-', 'lists');
  const params = { input_token: accessToken };
  const state = await graph.call(
    { path: 'debug_token', params, key, token: `${appId}|${appSecret}` },
    ProviderTokenStateSchema,
  );
  // Of a dead token the account list tells, with the platform's reason.
  const { is_valid: isValid, expires_at: endsAt = 0 } = state.data;
  if (!isValid || endsAt === 0 || endsAt * 1_000 - now > RENEW_BEFORE_MS) return undefined;
  const exchange = {
    grant_type: 'fb_exchange_token',
    client_id: appId,
    client_secret: appSecret,
    fb_exchange_token: accessToken,
  };
  const { access_token: renewed } = await graph.call(
    { path: 'oauth/access_token', params: exchange, key, token: '' },
    ProviderExchangeSchema,
  );
  return renewed === accessToken ? undefined : { ...access.credentials, accessToken: renewed };
}
