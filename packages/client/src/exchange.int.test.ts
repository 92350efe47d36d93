import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from './client.ts';
import { NetworkError, TimeoutError } from './errors.ts';
import { thrownBy } from './testing/scripted-client.ts';

let server: Server;
let answer: RequestListener;
let asked: number;
let baseUrl: string;

beforeEach(async () => {
  asked = 0;
  server = createServer((req, res) => {
    asked += 1;
    answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on a port
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const clientOf = (retries = 0) => createClient({ baseUrl, retries, delay: async () => undefined });
const head = { 'Content-Type': 'application/json' };

it('a server that says nothing is a timeout, and is not asked again', async () => {
  answer = () => undefined;
  let tries = 0;
  const client = createClient({
    baseUrl,
    fetch: (url, init) => {
      tries += 1;
      return fetch(url, init);
    },
  });
  const error = await thrownBy(client.getLink({}, { timeoutMs: 50 }));
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).toMatchObject({ message: 'GET /link was not answered within 50 ms' });
  expect(tries).toBe(1);
});

it('a body that stops half way is a timeout too', async () => {
  answer = (_, res) => res.writeHead(200, head).write('[');
  expect(await thrownBy(clientOf().getLink({}, { timeoutMs: 100 }))).toBeInstanceOf(TimeoutError);
});

it('a body that is cut off is a network error, and is read again', async () => {
  answer = (_, res) => {
    res.writeHead(200, { ...head, 'Content-Length': 2 });
    if (asked > 1) res.end('[]');
    else res.write('[', () => res.destroy());
  };
  expect((await clientOf(1).getLink()).data).toEqual([]);
  expect(asked).toBe(2);
  asked = 0;
  expect(await thrownBy(clientOf().getLink())).toBeInstanceOf(NetworkError);
});

it('nobody at the address is a network error with its cause', async () => {
  await new Promise((resolve) => server.close(resolve));
  const error = await thrownBy(clientOf(1).getLink());
  expect(error).toBeInstanceOf(NetworkError);
  expect(String(error)).toContain('ECONNREFUSED');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

it('the signal of the caller ends a request, and its reason is thrown', async () => {
  const controller = new AbortController();
  answer = () => controller.abort(new Error('enough'));
  const error = await thrownBy(clientOf(2).getLink({}, { signal: controller.signal }));
  expect(error).toMatchObject({ message: 'enough' });
  expect(await thrownBy(clientOf().getLink({}, { signal: controller.signal }))).toBe(error);
  expect(asked).toBe(1);
});

it('the signal of the caller ends a wait between two tries', async () => {
  const controller = new AbortController();
  answer = (_, res) => {
    res.writeHead(503, { 'Retry-After': '60' }).end();
    res.once('close', () => controller.abort(new Error('enough')));
  };
  const client = createClient({ baseUrl });
  const error = await thrownBy(client.getLink({}, { signal: controller.signal }));
  expect(error).toMatchObject({ message: 'enough' });
  expect(asked).toBe(1);
});

it('a redirect is not followed, so that the key goes nowhere else', async () => {
  answer = (_, res) => res.writeHead(307, { Location: `${baseUrl}/elsewhere` }).end();
  expect(await thrownBy(clientOf().getLink())).toMatchObject({ status: 307 });
  expect(asked).toBe(1);
});
