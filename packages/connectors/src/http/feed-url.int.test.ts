import type { LookupFunction } from 'node:net';
import { isPrivateAddress } from '@tributary/runtime';
import { json, type ScriptedServer, startScriptedServer } from '../testing/scripted-server.ts';
import { createAgent } from './agent.ts';
import { checkFeedUrl, createGuardedLookup } from './feed-url.ts';
import { createHttpClient } from './http-client.ts';

/** A name server that answers one after the other, the last one for ever. */
function names(...answers: string[][]): LookupFunction {
  let asked = 0;
  return (_host, _options, callback) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(() => callback(null, found));
  };
}
const PUBLIC = names(['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946']);

test('accepts an https URL of a public name', async () => {
  const rules = { allowPrivateAddresses: false, lookup: PUBLIC };
  expect((await checkFeedUrl('https://feed.example/blog', rules)).host).toBe('feed.example');
});

test.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://10.1.2.3/',
  'https://172.31.255.255/',
  'https://192.168.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://100.100.100.200/',
  'https://168.63.129.16/',
  'https://0.0.0.0/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::]/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://[ff02::1]/',
  'http://feed.example/',
  'ftp://feed.example/',
  'file:///etc/passwd',
  'gopher://feed.example/',
  'javascript:alert(1)',
  'https://user:secret@feed.example/',
  'https://feed.example/#x',
  'feed.example',
  '',
])('refuses %s when a link is saved', async (url) => {
  const rules = { allowPrivateAddresses: false, lookup: PUBLIC };
  await expect(checkFeedUrl(url, rules)).rejects.toMatchObject({ code: 'feed_url_refused' });
});

test.each([
  [['127.0.0.1']],
  [['93.184.216.34', '10.0.0.1']],
  [['::1']],
  [['::ffff:10.0.0.1']],
  [[]],
])('refuses a name with the addresses %p', async (addresses) => {
  const rules = { allowPrivateAddresses: false, lookup: names(addresses) };
  const saved = checkFeedUrl('https://feed.example/', rules);
  await expect(saved).rejects.toMatchObject({ code: 'feed_url_refused' });
});

test('allows a private address and plain http where the operator says so', async () => {
  const rules = { allowPrivateAddresses: true };
  expect((await checkFeedUrl('http://10.0.0.5:8080/feed', rules)).port).toBe('8080');
});

test('calls public addresses public', () => {
  for (const address of [
    '8.8.8.8',
    '93.184.216.34',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ]) {
    expect([address, isPrivateAddress(address)]).toEqual([address, false]);
  }
});

describe('at connect', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await startScriptedServer();
    server.answer((_seen, res) => json(res, {}));
  });
  afterEach(() => server.close());

  async function call(lookup: LookupFunction) {
    const dispatcher = createAgent({ lookup });
    const url = new URL(`http://feed.example:${new URL(server.url).port}/v1/blog-days`);
    const client = createHttpClient({ dispatcher, repeatWaitMs: 5 });
    try {
      return await client.send({ method: 'GET', url, signal: new AbortController().signal });
    } finally {
      await dispatcher.destroy();
    }
  }

  test('a name that was public when saved and is private now is not connected to', async () => {
    const rules = {
      allowPrivateAddresses: false,
      lookup: names(['93.184.216.34'], ['127.0.0.1']),
    };
    await checkFeedUrl('https://feed.example/', rules);
    const called = call(createGuardedLookup(rules));
    await expect(called).rejects.toMatchObject({ code: 'feed_url_refused' });
    expect(server.seen).toHaveLength(0);
  });

  test('without the guard the same name is connected to', async () => {
    expect((await call(names(['127.0.0.1']))).status).toBe(200);
    expect(server.seen).toHaveLength(1);
  });
});
