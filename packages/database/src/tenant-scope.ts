/**
 * The one way a tenant gets into a document or a filter. A missing tenant must never become "all tenants": the driver
 * turns `undefined` into null, or drops it, and neither is an error.
 *
 * @throws TypeError when the tenant is not a text or is blank
 */
export function tenantScope(tenant: string): { tenant: string } {
  return { tenant: filledText('tenant', tenant) };
}

/**
 * A value that goes into a filter or document as it is. Whatever the types promise, it is checked here: an object in
 * its place would be read as operators.
 *
 * @throws TypeError naming the place
 */
export function plainText(name: string, value: string): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${name} must be a text, got ${typeof value}`);
}

/** Like {@link plainText}, and not blank. */
export function filledText(name: string, value: string): string {
  if (plainText(name, value).trim() !== '') return value;
  throw new TypeError(`${name} must not be blank`);
}

/** A number that goes into a filter or document as it is; see {@link plainText}. */
export function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new TypeError(`${name} must be a whole number, got '${String(value)}'`);
}

const DEPTH_MAX = 8;

/**
 * A JSON object stored inside a document: its keys are names, never operators or paths.
 *
 * @throws TypeError naming the key that begins with `$`, holds a dot or NUL, or lies too deep
 */
export function plainObject(
  name: string,
  value: Record<string, unknown>,
  depth = 0,
): Record<string, unknown> {
  if (depth > DEPTH_MAX) throw new TypeError(`${name} is nested deeper than ${DEPTH_MAX} levels`);
  for (const [key, inner] of Object.entries(value)) {
    if (key === '' || key === '__proto__' || /^\$|[.\0]/.test(key)) {
      throw new TypeError(`${name} has the forbidden key '${key}'`);
    }
    if (typeof inner === 'object' && inner !== null) {
      plainObject(`${name}.${key}`, inner as Record<string, unknown>, depth + 1); // arrays have keys too
    }
  }
  return value;
}
