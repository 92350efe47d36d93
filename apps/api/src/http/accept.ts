/** True when the client takes gzip (RFC 9110, 12.5.3): named or by `*`, and not with weight 0. */
export function acceptsGzip(header: string | undefined): boolean {
  let anyWeight = 0;
  for (const item of (header ?? '').split(',')) {
    const [coding = '', ...parameters] = item
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const weight = parameters.find((one) => one.startsWith('q='));
    const value = weight === undefined ? 1 : Number(weight.slice(2));
    if (coding === 'gzip' || coding === 'x-gzip') return value > 0;
    if (coding === '*') anyWeight = value;
  }
  return anyWeight > 0;
}

/** True when an `If-None-Match` header names the tag, compared weakly (RFC 9110, 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = etag.replace(/^W\//, '');
  return header
    .split(',')
    .some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === opaque);
}
