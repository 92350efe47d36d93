// @ts-check
/** Stands in every text of the foreign tenant, and in no request. */
export const CANARY = 'CanaryOfTheOtherTenant';
/** Begins what is sent in fields below credentials: no answer may hold it. */
export const SECRET = 'SecretOfTheClient';
/** The one origin whose pages may read answers. */
export const ORIGIN = 'https://app.example.com';
