import type { Call } from '../http/call.ts';
import { MomentError } from './moment-error.ts';

/** The business tokens that exist, and the app that each was issued for. */
const APPS: Readonly<Record<string, string>> = {
  'sandbox-portal2-display-token': '900001',
  'sandbox-portal2-display-other-ip': '900002',
  'sandbox-portal2-display-no-consent': '900003',
};
/** A token of an ordinary login: not for business. */
const LOGIN_TOKEN = 'sandbox-portal2-login-token';

/** The app of a call's business token. @throws MomentError as the platform refuses */
export function appOf(call: Call): string {
  const [, token] = /^Bearer (\S+)$/.exec(call.headers.authorization ?? '') ?? [];
  if (token === undefined || token === LOGIN_TOKEN) {
    throw new MomentError(401, { msg: 'target biz token is not supplied.', code: -401 });
  }
  const app = APPS[token];
  if (app === undefined) {
    throw new MomentError(401, { msg: 'this access token does not exist', code: -401 });
  }
  if (token.endsWith('-other-ip')) {
    const msg = 'ip mismatched! callerIp=127.0.0.1. check out registered ips.';
    throw new MomentError(401, { msg, code: -401 });
  }
  if (token.endsWith('-no-consent')) {
    const required_scopes = ['moment_management'];
    throw new MomentError(403, { msg: 'insufficient scopes.', code: -402, required_scopes });
  }
  return app;
}
