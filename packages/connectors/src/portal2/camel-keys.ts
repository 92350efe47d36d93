/** `conv_purchase_p_7d` -> `convPurchaseP7d`; a name in camel case stays as it is. */
export function camelCase(name: string): string {
  return name.replace(/_+([A-Za-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

/**
 * The fields of an object under their camel case names.
 *
 * @returns `clash`: a field that came under both spellings, so that nobody knows which of the two holds
 */
export function camelKeys(record: object): {
  renamed: Record<string, unknown>;
  clash: string | undefined;
} {
  const entries = Object.entries(record).map(([key, value]) => [camelCase(key), value] as const);
  const seen = new Set<string>();
  const clash = entries.find(([key]) => seen.size === seen.add(key).size)?.[0];
  return { renamed: Object.fromEntries(entries), clash };
}
