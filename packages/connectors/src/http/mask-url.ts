/**
 * A URL as it may stand in messages and logs: origin and path only. Tokens, proofs and cursors travel in the query
 * (platform 1) or as user information, so both are left out whole instead of being picked by name.
 */
export function maskUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/**
 * A platform's own words with our secrets taken out (platform 1 quotes a malformed token back) and cut to a readable
 * length.
 */
export function scrub(text: string, secrets: readonly (string | undefined)[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret) clean = clean.replaceAll(secret, '[secret]');
  }
  return clean.length > 300 ? `${clean.slice(0, 300)}…` : clean;
}
