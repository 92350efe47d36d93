import { BlockList, isIP } from 'node:net';

const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * Networks that are not of the public internet (RFC 6890; the clouds' metadata addresses lie in them). IPv4 ranges also
 * match addresses written in the mapped form of IPv6.
 */
function privateNetworks(): BlockList {
  const list = new BlockList();
  const ranges: [string, number, 'ipv4' | 'ipv6'][] = [
    ['0.0.0.0', 8, 'ipv4'],
    ['10.0.0.0', 8, 'ipv4'],
    ['100.64.0.0', 10, 'ipv4'],
    ['127.0.0.0', 8, 'ipv4'],
    ['169.254.0.0', 16, 'ipv4'],
    ['172.16.0.0', 12, 'ipv4'],
    ['192.0.0.0', 24, 'ipv4'],
    ['192.168.0.0', 16, 'ipv4'],
    ['198.18.0.0', 15, 'ipv4'],
    ['224.0.0.0', 3, 'ipv4'],
    ['::', 96, 'ipv6'],
    ['64:ff9b::', 96, 'ipv6'],
    ['100::', 64, 'ipv6'],
    ['2002::', 16, 'ipv6'],
    ['fc00::', 7, 'ipv6'],
    ['fe80::', 10, 'ipv6'],
    ['ff00::', 8, 'ipv6'],
  ];
  for (const range of ranges) list.addSubnet(...range);
  return list;
}

/**
 * True when an address names a host inside a network of its own, as far as the text tells. Where a name leads is
 * checked at every connect.
 */
export function isPrivateAddress(address: string): boolean {
  const { hostname } = new URL(address); // also turns `0x7f.1` and `2130706433` into 127.0.0.1
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const family = isIP(host);
  if (family === 0) return LOCAL_NAMES.test(host) || !host.includes('.');
  return privateNetworks().check(host, family === 4 ? 'ipv4' : 'ipv6');
}
