import { isPrivateHost } from './private-host.ts';

describe('isPrivateHost', () => {
  it.each([
    'http://127.0.0.1',
    'http://127.1:9000/x',
    'http://2130706433',
    'http://0x7f.0.0.1',
    'http://0177.0.0.1',
    'http://0.0.0.0',
    'http://10.1.2.3',
    'http://172.31.0.1',
    'http://192.168.1.1',
    'http://169.254.169.254/latest/meta-data',
    'http://100.100.100.200',
    'http://[::1]',
    'http://[::]',
    'http://[::ffff:10.0.0.1]',
    'http://[::ffff:a00:1]',
    'http://[fd00:ec2::254]',
    'http://[fe80::1]',
    'http://[64:ff9b::7f00:1]',
    'http://[2002:7f00:1::]',
    'http://localhost',
    'http://LOCALHOST.',
    'http://api.localhost',
    'http://metadata.google.internal',
    'http://printer.local',
    'http://intranet/x',
    'http://user:pw@127.0.0.1',
  ])('true for %s', (address) => expect(isPrivateHost(new URL(address))).toBe(true));

  it.each([
    'https://feed.example.com/v1',
    'http://8.8.8.8',
    'http://172.32.0.1',
    'http://[2606:4700::1111]',
    'https://localhost.example.com',
    'https://internal.example.com',
  ])('false for %s', (address) => expect(isPrivateHost(new URL(address))).toBe(false));
});
