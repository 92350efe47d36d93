/** One of several things that a client takes. */
export interface Weighted {
  /** In lower case. */
  name: string;
  /** How much it is wanted; 0 = not at all. */
  weight: number;
}

/** The items of an `Accept` or `Accept-Encoding` header (RFC 9110, 12.4.2); a weight that is no number is none. */
export function readWeighted(header: string): Weighted[] {
  return header.split(',').map((item) => {
    const [name = '', ...parameters] = item
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const weight = parameters.find((one) => one.startsWith('q='));
    const value = weight === undefined ? 1 : Number(weight.slice(2));
    return { name, weight: value > 0 ? value : 0 };
  });
}

/** True when the client takes gzip (RFC 9110, 12.5.3): named or by `*`, and not with weight 0. */
export function acceptsGzip(header: string | undefined): boolean {
  const items = readWeighted(header ?? '');
  const named = items.find(({ name }) => name === 'gzip' || name === 'x-gzip');
  return ((named ?? items.findLast(({ name }) => name === '*'))?.weight ?? 0) > 0;
}

/** True when an `If-None-Match` header names the tag, compared weakly (RFC 9110, 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = etag.replace(/^W\//, '');
  return header
    .split(',')
    .some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === opaque);
}
