import { type Call, json, type Reply } from '../http/call.ts';
import { noSuchToken, Refusal } from './answers.ts';

export const BUSINESS_TOKEN = 'sandbox-keyword-business-token';
const SCOPE = 'keyword_management';

/** What the platform says of each token that is not simply good. */
const REFUSED: Readonly<Record<string, () => Refusal>> = {
  'sandbox-login-token': () => new Refusal(401, -401, 'target biz token is not supplied.'),
  'sandbox-keyword-other-address': () =>
    new Refusal(401, -401, 'ip mismatched! callerIp=203.0.113.7. check out registered ips.'),
  'sandbox-keyword-no-consent': () =>
    new Refusal(403, -402, 'insufficient scopes.', { required_scopes: [SCOPE] }),
};

/** Lets a call with the business token pass; business tokens know no end and no renewal. */
export function checkToken(call: Call): void {
  const [, token = ''] = /^Bearer (\S+)$/.exec(call.headers.authorization ?? '') ?? [];
  if (token === BUSINESS_TOKEN) return;
  throw REFUSED[token]?.() ?? noSuchToken();
}

/** `GET /v1/business/tokeninfo`: what the account server knows of the token. */
export function tokenInfo(): Reply {
  return json(200, { id: 1_234_567_890, app_id: 987_654, scopes: [SCOPE] });
}
