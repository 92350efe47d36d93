import { type Call, json, type Reply } from '../http/call.ts';
import { hash } from '../world/random.ts';
import { gatewayRefusal, tokenRefused } from './refusal.ts';

/** The application and the grant that the simulated platform knows. */
export const DISPLAY_CLIENT_ID = 'sandbox-da-client';
export const DISPLAY_CLIENT_SECRET = 'sandbox-da-secret';
export const DISPLAY_REFRESH_TOKEN = 'sandbox-da-refresh';
const LIFE_SECONDS = 3_600;

/** Access tokens carry their end and a seal, so that they outlive a restart. */
function accessToken(endsAt: number): string {
  return `sandbox-da-access.${endsAt}.${hash(`${DISPLAY_REFRESH_TOKEN}/${endsAt}`)}`;
}

function isGood(token: string, now: number): boolean {
  const endsAt = Number(/^sandbox-da-access\.(\d+)\.\d+$/.exec(token)?.[1]);
  return token === accessToken(endsAt) && now < endsAt;
}

/** Throws the gateway's refusal unless the call carries an access token that is good at `now`. */
export function checkToken({ headers }: Call, now: number): void {
  const sent = headers.authorization ?? '';
  if (sent === '') throw gatewayRefusal(401, '028', 'Authentication header not exists.');
  if (!isGood(/^Bearer (\S+)$/.exec(sent)?.[1] ?? '', now)) throw tokenRefused();
}

/** The login server: its refusals come with HTTP 200, and the seconds are text. */
export function answerToken(form: ReadonlyMap<string, string>, now: number): Reply {
  if (form.get('grant_type') !== 'refresh_token') {
    return refusal('invalid_request', 'wrong grant_type');
  }
  const isApp =
    form.get('client_id') === DISPLAY_CLIENT_ID &&
    form.get('client_secret') === DISPLAY_CLIENT_SECRET;
  if (!isApp) return refusal('unauthorized_client', 'wrong client_id or client_secret');
  if (form.get('refresh_token') !== DISPLAY_REFRESH_TOKEN) return refusedGrant();
  return json(200, {
    access_token: accessToken(now + LIFE_SECONDS * 1_000),
    token_type: 'bearer',
    expires_in: String(LIFE_SECONDS),
  });
}

export function refusedGrant(): Reply {
  return refusal('invalid_request', 'invalid refresh_token');
}

function refusal(error: string, description: string): Reply {
  return json(200, { error, error_description: description });
}
