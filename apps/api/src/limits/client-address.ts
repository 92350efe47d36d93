import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

const FAMILIES = { 4: 'ipv4', 6: 'ipv6' } as const;

/**
 * Adds an address or a network like `10.0.0.0/8` to a list.
 *
 * @returns false when it is neither
 */
function addNetwork(list: BlockList, text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if ((version !== 4 && version !== 6) || rest.length > 0) return false;
  const longest = version === 4 ? 32 : 128;
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= longest)) return false;
  list.addSubnet(address, bits === undefined ? longest : Number(bits), FAMILIES[version]);
  return true;
}

/** Reads addresses and networks, separated by commas. */
export function readNetworks(text: string): { list: BlockList; wrong: readonly string[] } {
  const list = new BlockList();
  const entries = text.split(',').flatMap((entry) => entry.trim() || []);
  return { list, wrong: entries.filter((entry) => !addNetwork(list, entry)) };
}

/** Who a request comes from. */
export type ClientAddress = (req: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * Reads the address of clients: the socket's, or behind trusted proxies the last one in X-Forwarded-For that is no proxy
 * itself. What stands further left was written by the client and proves nothing. Of IPv6 the network of 64 bits counts: a
 * client has all of it.
 */
export function createClientAddress(trustedProxies: string): ClientAddress {
  const { list } = readNetworks(trustedProxies);
  const isTrusted = (address: string) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return ({ headers, socket }) => {
    let address = plain(socket.remoteAddress ?? '');
    const hops = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
    while (isIP(address) !== 0 && isTrusted(address)) {
      const next = plain(hops.pop()?.trim() ?? '');
      if (isIP(next) === 0) break;
      address = next;
    }
    return isIP(address) === 6 ? networkOf(address) : address;
  };
}

/** An IPv4 address on an IPv6 socket is an IPv4 address; a zone is not part of it. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}

function networkOf(address: string): string {
  // URL writes every address in its one shortest form.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail?.split(':').filter(Boolean) ?? [];
  const zeros = Array.from({ length: 8 - groups.length - rest.length }, () => '0');
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`;
}
