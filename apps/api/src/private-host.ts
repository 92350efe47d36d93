import { isIP } from 'node:net';
import { isPrivateAddress } from '@tributary/runtime';

const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * True when a URL names a host inside a network of its own, as far as the text tells. Where a name leads is checked at
 * every connect.
 */
export function isPrivateHost({ hostname }: URL): boolean {
  // URL has turned `0x7f.1` and `2130706433` into 127.0.0.1.
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? LOCAL_NAMES.test(host) || !host.includes('.') : isPrivateAddress(host);
}
