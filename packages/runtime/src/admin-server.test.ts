import { request } from 'node:http';
import { type AdminServer, type AdminServerOptions, createAdminServer } from './admin-server.ts';
import { createLogger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { createReleasers } from './releasers.ts';

const releasers = createReleasers();
afterEach(() => releasers.releaseAll());

async function open(options: Partial<AdminServerOptions> = {}): Promise<AdminServer> {
  const server = await createAdminServer({
    port: 0,
    logger: createLogger({ name: 'test', level: 'silent' }),
    livez: () => ({ ok: true }),
    readyz: () => ({ ok: true }),
    metrics: async () => 'lines 1\n',
    ...options,
  });
  releasers.add('admin', () => server.close());
  return server;
}

describe('createAdminServer', () => {
  it('listens on loopback unless told otherwise', async () => {
    const { url, port } = await open();
    expect(url).toBe(`http://127.0.0.1:${port}`);
  });

  it('answers 200 while healthy and 503 with the details while not', async () => {
    const { url } = await open({ readyz: async () => ({ ok: false, reason: 'stopping' }) });
    expect((await fetch(`${url}/livez?x=1`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ ok: false, reason: 'stopping' });
  });

  it('counts a check that throws or never answers as failed, and says nothing internal', async () => {
    const { url } = await open({
      livez: () => {
        throw new Error('mongodb://root:pw@db');
      },
      readyz: () => new Promise(() => undefined),
      checkTimeoutMs: 50,
    });
    for (const path of ['/livez', '/readyz']) {
      const answer = await fetch(url + path);
      expect(answer.status).toBe(503);
      expect(await answer.text()).not.toContain('pw');
    }
  });

  it("gives out the process's metrics with the event-loop lag", async () => {
    const registry = createMetrics({ app: 'test' });
    const { url } = await open({ metrics: () => registry.metrics() });
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(await answer.text()).toMatch(/nodejs_eventloop_lag_seconds\{app="test"\} \d/);
  });

  it('answers 500 as a problem when the metrics fail', async () => {
    const { url } = await open({ metrics: () => Promise.reject(new Error('inner words')) });
    const answer = await fetch(`${url}/metrics`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('inner words');
  });

  it('answers a problem for unknown paths and 405 for other methods', async () => {
    const { url } = await open();
    const missing = await fetch(`${url}/nothing`);
    expect(missing.status).toBe(404);
    expect(missing.headers.get('content-type')).toBe('application/problem+json');
    expect(await missing.json()).toMatchObject({ status: 404, code: 'not_found' });
    const posted = await fetch(`${url}/livez`, { method: 'POST' });
    expect(posted.status).toBe(405);
    expect(posted.headers.get('allow')).toBe('GET, HEAD');
  });

  it('hands other paths to the extra pages first', async () => {
    const { url } = await open({
      extra(req, res) {
        if (req.url !== '/queues') return false;
        res.end('queues');
        return true;
      },
    });
    expect(await (await fetch(`${url}/queues`)).text()).toBe('queues');
    expect((await fetch(`${url}/other`)).status).toBe(404);
  });

  it('closes although a client keeps its connection', async () => {
    const server = await open();
    const socketClosed = new Promise<void>((resolve) => {
      const req = request(`${server.url}/livez`, { method: 'POST' });
      req.on('error', () => resolve());
      req.on('close', () => resolve());
      req.flushHeaders();
    });
    await server.close();
    await socketClosed;
    await expect(fetch(`${server.url}/livez`)).rejects.toThrow('fetch failed');
  });

  it('fails when the address is taken', async () => {
    const { port } = await open();
    await expect(open({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
