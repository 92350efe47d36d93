import type { Refusal } from '../refusal.ts';
export interface ErrorRule extends Refusal {
  /** The family of codes as `errorCode` names it; `status` = the canonical word where there is no code. */
  family: string;
  /** Without: any code of the family. */
  codes?: readonly string[];
  /** How long a throttle lasts that names no time. */
  waitMs?: number;
}

const MINUTE_MS = 60_000;
const RECONNECT = 'Connect the link again with a new refresh token.';
const LATER = 'It is tried again later.';
const UPDATE = 'The platform refuses this request as it is; the version may have changed.';
const GRANTED = 'Grant its user access to the account, and name the manager in loginCustomerId.';

/**
 * The platform's codes and what they mean for us; the first row that fits wins. HTTP statuses tell nothing: one of them
 * stands for many codes. Facts: the platform's reference of QuotaError, AuthenticationError, AuthorizationError and
 * InternalError, and its pages on common errors and on data efficiency.
 */
export const ERROR_RULES: readonly ErrorRule[] = [
  {
    family: 'quotaError',
    codes: ['ACCESS_PROHIBITED'],
    kind: 'authLost',
    word: 'app_refused',
    advice: 'The platform no longer serves this app: see its API center.',
  },
  {
    family: 'quotaError',
    codes: ['EXCESSIVE_SHORT_TERM_QUERY_RESOURCE_CONSUMPTION'],
    kind: 'throttled',
    word: 'rate_limited',
    advice: LATER,
    waitMs: 5 * MINUTE_MS,
  },
  {
    family: 'quotaError',
    codes: ['EXCESSIVE_LONG_TERM_QUERY_RESOURCE_CONSUMPTION'],
    kind: 'throttled',
    word: 'rate_limited',
    advice: LATER,
    waitMs: 30 * MINUTE_MS,
  },
  { family: 'quotaError', kind: 'throttled', word: 'rate_limited', advice: LATER },
  {
    family: 'authenticationError',
    codes: [
      'OAUTH_TOKEN_EXPIRED',
      'OAUTH_TOKEN_INVALID',
      'OAUTH_TOKEN_REVOKED',
      'OAUTH_TOKEN_HEADER_INVALID',
    ],
    kind: 'stale',
    word: 'grant_rejected',
    advice: RECONNECT,
  },
  {
    family: 'authenticationError',
    codes: ['NOT_ADS_USER'],
    kind: 'authLost',
    word: 'not_ads_user',
    advice: 'The user who gave the grant has no account on the platform: connect with another one.',
  },
  {
    family: 'authenticationError',
    codes: ['CUSTOMER_NOT_FOUND'],
    kind: 'authLost',
    word: 'object_missing',
    advice: 'Check that the account still exists.',
  },
  { family: 'authenticationError', kind: 'authLost', word: 'grant_rejected', advice: RECONNECT },
  {
    family: 'authorizationError',
    codes: ['CUSTOMER_NOT_ENABLED'],
    kind: 'authLost',
    word: 'account_closed',
    advice: 'The account is cancelled or not yet set up.',
  },
  {
    family: 'authorizationError',
    codes: [
      'CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION',
      'DEVELOPER_TOKEN_NOT_APPROVED',
      'DEVELOPER_TOKEN_PROHIBITED',
      'INCOMPLETE_SIGNUP',
      'PROJECT_DISABLED',
    ],
    kind: 'authLost',
    word: 'app_refused',
    advice:
      "The app may not read this account: check its project and access level in the platform's console.",
  },
  { family: 'authorizationError', kind: 'authLost', word: 'scope_missing', advice: GRANTED },
  {
    family: 'headerError',
    kind: 'authLost',
    word: 'login_customer_refused',
    advice: 'Connect the link again with the id of its manager account in loginCustomerId.',
  },
  {
    family: 'requestError',
    codes: ['INVALID_PAGE_TOKEN', 'EXPIRED_PAGE_TOKEN'],
    kind: 'retryable',
    word: 'page_expired',
    advice: LATER,
  },
  { family: 'internalError', kind: 'retryable', word: 'platform_error', advice: LATER },
  { family: 'databaseError', kind: 'retryable', word: 'platform_error', advice: LATER },
  {
    family: 'dateError',
    codes: ['EARLIER_THAN_MINIMUM_DATE'],
    kind: 'fatal',
    word: 'out_of_history',
    advice: 'The days are older than the 37 months that the platform keeps.',
  },
  { family: 'dateError', kind: 'fatal', word: 'bad_request', advice: UPDATE },
  { family: 'dateRangeError', kind: 'fatal', word: 'bad_request', advice: UPDATE },
  { family: 'queryError', kind: 'fatal', word: 'bad_request', advice: UPDATE },
  { family: 'requestError', kind: 'fatal', word: 'bad_request', advice: UPDATE },
  {
    family: 'status',
    codes: ['UNAUTHENTICATED'],
    kind: 'stale',
    word: 'grant_rejected',
    advice: RECONNECT,
  },
  {
    family: 'status',
    codes: ['RESOURCE_EXHAUSTED'],
    kind: 'throttled',
    word: 'rate_limited',
    advice: LATER,
  },
  {
    family: 'status',
    codes: ['PERMISSION_DENIED'],
    kind: 'authLost',
    word: 'scope_missing',
    advice:
      'The grant or the app lacks a permission: enable the API for its project and allow the scope adwords.',
  },
  {
    family: 'status',
    codes: ['INVALID_ARGUMENT', 'NOT_FOUND', 'UNIMPLEMENTED', 'FAILED_PRECONDITION'],
    kind: 'fatal',
    word: 'bad_request',
    advice: UPDATE,
  },
];

export const UNKNOWN: ErrorRule = {
  family: 'status',
  kind: 'retryable',
  word: 'platform_error',
  advice: 'The code is unknown; it is tried again later.',
};
