import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from './errors.ts';

/**
 * Stored credentials could not be opened. `credentials_key_unknown`: the key is not configured, an operator's mistake
 * that says nothing about the link. `credentials_unreadable`: changed, moved from another link, or sealed with another
 * key of the same id.
 */
export class CredentialError extends AppError {}

/** Where a sealed value belongs; it opens nowhere else. */
export interface CredentialPlace {
  tenant: string;
  channel: string;
  link: string;
}

/** Seals credentials with AES-256-GCM, bound to their place. */
export interface CredentialBox {
  /** The configured key ids, the current one first. */
  readonly keyIds: readonly string[];
  /** Seals a JSON value with the current key: `<key id>.<base64url of nonce, tag and ciphertext>`. */
  seal(place: CredentialPlace, value: unknown): string;
  /** @throws CredentialError when the key is unknown or anything at all was changed */
  open(place: CredentialPlace, sealed: string): unknown;
  /** The id of the key a value was sealed with; undefined when it is no sealed value. */
  keyIdOf(sealed: string): string | undefined;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/;

/**
 * @param keys CREDENTIALS_KEYS: `kid:base64(32 bytes)[,kid2:…]`. The first seals, all open.
 * @throws TypeError naming the entry (never the key) that is malformed, of the wrong length or doubled
 */
export function createCredentialBox(keys: string): CredentialBox {
  const ring = parseCredentialKeys(keys);
  const keyIds = [...ring.keys()];
  const [current] = ring;
  if (!current) throw new TypeError('CREDENTIALS_KEYS holds no key');
  const [currentId, currentKey] = current;
  const box: CredentialBox = {
    keyIds,
    keyIdOf: (sealed) => SEALED.exec(sealed)?.[1],
    seal: (place, value) => seal(currentId, currentKey, place, value),
    open(place, sealed) {
      const keyId = SEALED.exec(sealed)?.[1];
      if (keyId === undefined) throw unreadable('they are not in the sealed form');
      const key = ring.get(keyId);
      if (key) return open(key, place, sealed);
      throw new CredentialError(
        'credentials_key_unknown',
        `Credentials are sealed with key '${keyId}', CREDENTIALS_KEYS has only ${keyIds.join(', ')}`,
        { details: { keyId } },
      );
    },
  };
  selfTest(ring, box);
  return box;
}

/**
 * Reads CREDENTIALS_KEYS: key id → key, the sealing one first.
 *
 * @throws TypeError as {@link createCredentialBox}
 */
export function parseCredentialKeys(text: string): Map<string, Buffer> {
  const ring = new Map<string, Buffer>();
  for (const [index, entry] of text.split(',').entries()) {
    const [, keyId, encoded] =
      /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]+={0,2})\s*$/.exec(entry) ?? [];
    if (!keyId || !encoded) {
      throw new TypeError(`entry ${index + 1} is not 'kid:base64(32 bytes)'`);
    }
    const key = Buffer.from(encoded, 'base64');
    if (key.length !== KEY_BYTES) {
      throw new TypeError(`key '${keyId}' has ${key.length} bytes, expected ${KEY_BYTES}`);
    }
    if (ring.has(keyId)) throw new TypeError(`names key '${keyId}' twice`);
    ring.set(keyId, key);
  }
  return ring;
}

/** JSON keeps the parts apart whatever characters they hold. */
function boundTo(keyId: string, { tenant, channel, link }: CredentialPlace): Buffer {
  if (!tenant || !channel || !link)
    throw new TypeError('Credentials need tenant, channel and link');
  return Buffer.from(JSON.stringify(['tributary credentials 1', keyId, tenant, channel, link]));
}

function seal(keyId: string, key: Buffer, place: CredentialPlace, value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError('Credentials must be a JSON value');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundTo(keyId, place));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${keyId}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
}

function open(key: Buffer, place: CredentialPlace, sealed: string): unknown {
  const [, keyId = '', encoded = ''] = SEALED.exec(sealed) ?? [];
  const bytes = Buffer.from(encoded, 'base64url');
  // Spare bits of the last character are not covered by the tag: only the one true spelling is accepted.
  if (bytes.toString('base64url') !== encoded) throw unreadable('their encoding was changed');
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) throw unreadable('they are cut short');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(keyId, place));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    return JSON.parse(Buffer.concat([body, decipher.final()]).toString('utf8'));
  } catch {
    // The cause is dropped: a JSON error would quote the plain text.
    throw unreadable(`key '${keyId}' does not open them for this tenant, channel and link`);
  }
}

function unreadable(why: string): CredentialError {
  return new CredentialError('credentials_unreadable', `Credentials cannot be opened: ${why}`);
}

/** Proves at the start that every key seals, opens and refuses, before a link depends on it. */
function selfTest(ring: ReadonlyMap<string, Buffer>, box: CredentialBox): void {
  const place = { tenant: 'self', channel: 'test', link: 'self-test' };
  for (const [keyId, key] of ring) {
    const sealed = seal(keyId, key, place, { probe: keyId });
    const opened = box.open(place, sealed) as { probe?: unknown };
    if (opened.probe !== keyId) throw new Error(`Key '${keyId}' does not open what it sealed`);
    try {
      box.open({ ...place, link: 'other' }, sealed);
    } catch (error) {
      if (error instanceof CredentialError) continue;
      throw error;
    }
    throw new Error(`Key '${keyId}' opens what was sealed for another link`);
  }
}
