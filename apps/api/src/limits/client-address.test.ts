import type { Socket } from 'node:net';
import { createClientAddress, readNetworks } from './client-address.ts';

const addressOf = (trusted: string, remoteAddress: string, forwarded?: string) =>
  createClientAddress(trusted)({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    socket: { remoteAddress } as Socket, // nothing else of it is read
  });

describe('createClientAddress', () => {
  it('is the address of the socket, whatever X-Forwarded-For says', () => {
    expect(addressOf('', '192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
    expect(addressOf('10.0.0.0/8', '192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
    expect(addressOf('10.0.0.0/8', '10.1.2.3')).toBe('10.1.2.3');
  });

  it.each([
    ['10.0.0.1', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
    // The client wrote the first one itself.
    ['10.0.0.0/8', '10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['10.0.0.0/8', '10.0.0.1', '203.0.113.9, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['10.0.0.0/8,2001:db8::1', '2001:db8::1', '198.51.100.7,10.0.0.1', '198.51.100.7'],
    // What is no address is believed as little as nothing.
    ['10.0.0.0/8', '10.0.0.1', '198.51.100.7, unknown', '10.0.0.1'],
    ['10.0.0.0/8', '10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.0/8', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ])('trusting %s, from %s with %s it is %s', (trusted, remote, forwarded, expected) => {
    expect(addressOf(trusted, remote, forwarded)).toBe(expected);
  });

  it('counts the addresses of one IPv6 network as one', () => {
    for (const address of ['2001:db8:1:2::1', '2001:0DB8:1:2:ffff::', '2001:db8:1:2:3:4:5:6']) {
      expect(addressOf('', address)).toBe('2001:db8:1:2::/64');
    }
    expect(addressOf('', '2001:db8:1:3::1')).toBe('2001:db8:1:3::/64');
    expect(addressOf('', '::1')).toBe('0:0:0:0::/64');
    expect(addressOf('', 'fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  });

  it('has no address of a socket that is gone', () => {
    expect(addressOf('10.0.0.0/8', undefined as unknown as string, '198.51.100.7')).toBe('');
  });
});

describe('readNetworks', () => {
  it('names what is neither an address nor a network', () => {
    const text =
      '10.0.0.1, 10.0.0.0/8 ,,2001:db8::/32, 10.0.0.0/33, proxy, 10.0.0.0/8/8, ::/x, 1.2.3';
    expect(readNetworks(text).wrong).toEqual([
      '10.0.0.0/33',
      'proxy',
      '10.0.0.0/8/8',
      '::/x',
      '1.2.3',
    ]);
  });
});
