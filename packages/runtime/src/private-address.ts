import { BlockList, isIP } from 'node:net';

const PRIVATE_V4 = [
  '0.0.0.0/8', // this network, unspecified
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier NAT; also metadata services of some clouds
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local: the usual metadata address
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved and broadcast
  '168.63.129.16/32', // a cloud's platform services on a public-looking address
];

const PRIVATE_V6 = [
  '::/96', // unspecified, loopback and IPv4-compatible
  '::ffff:0:0/96', // IPv4-mapped: nobody serves a feed there, it only hides an IPv4 address
  '64:ff9b::/96', // the translations that carry an IPv4 address inside
  '64:ff9b:1::/48',
  '2001::/23', // Teredo and other protocol assignments
  '2002::/16',
  '100::/64',
  '2001:db8::/32',
  'fc00::/7', // unique local, with the metadata address of some clouds
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** True for an address that only the operator's own network can mean: never to be called for a client. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return V4.check(address, 'ipv4');
  if (family === 6) return V6.check(address.replace(/%.*$/, ''), 'ipv6');
  return true; // What is no address at all is not called either.
}

const V4 = blockList(PRIVATE_V4, 'ipv4');
const V6 = blockList(PRIVATE_V6, 'ipv6');

function blockList(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
