import { readEnv } from '@tributary/runtime';
import { ApiEnvSchema } from './env.ts';

const key = Buffer.from(Array.from({ length: 32 }, (_, byte) => byte)).toString('base64');
const required = { MONGODB_URI: 'mongodb://127.0.0.1/x', CREDENTIALS_KEYS: `k:${key}` };
const read = (env: Record<string, string>) => readEnv(ApiEnvSchema, { ...required, ...env });

describe('ApiEnvSchema', () => {
  it('listens on loopback and asks for keys unless told otherwise', () => {
    expect(read({})).toMatchObject({
      HOST: '127.0.0.1',
      API_PORT: 8080,
      API_ADMIN_PORT: 8081,
      AUTH: 'on',
      BASE_PATH: '',
      NODE_ENV: 'production',
      ALLOW_PRIVATE_ADDRESSES: false,
      RATE_LIMIT_PER_MINUTE: 600,
      AUTH_FAILURES_PER_MINUTE: 60,
      TRUSTED_PROXIES: '',
    });
  });

  it('names every variable that is missing or bad', () => {
    const source = { API_PORT: '70000', AUTH: 'no', LOG_LEVEL: 'loud', BASE_PATH: 'x/' };
    const reading = () => readEnv(ApiEnvSchema, source);
    for (const name of [...Object.keys(source), ...Object.keys(required)]) {
      expect(reading).toThrow(`${name}: `);
    }
    expect(reading).toThrow(/LOG_LEVEL: expected one of trace, .*, got 'loud'/);
    const open = { ...source, AUTH: 'off', HOST: '0.0.0.0', CREDENTIALS_KEYS: 'k:x' };
    for (const problem of [
      'AUTH: off is allowed only',
      'API_PORT: ',
      "CREDENTIALS_KEYS: key 'k' has 0 bytes",
    ]) {
      expect(() => readEnv(ApiEnvSchema, open)).toThrow(problem);
    }
  });

  it('AUTH=off is refused unless the server is bound to loopback', () => {
    for (const HOST of ['127.0.0.1', '::1', 'localhost', '127.0.0.2']) {
      expect(read({ AUTH: 'off', HOST }).AUTH).toBe('off');
    }
    for (const HOST of ['0.0.0.0', '::', '192.168.1.5', '127.0.0.1.example.com', '1270.0.1']) {
      expect(() => read({ AUTH: 'off', HOST })).toThrow('AUTH');
    }
  });

  it('reads aliases of channels and refuses what leads nowhere', () => {
    const { CHANNEL_ALIASES } = read({ CHANNEL_ALIASES: 'OLD:PORTAL1_DA, ELDER:PORTAL1_DA' });
    expect([...CHANNEL_ALIASES]).toEqual([
      ['OLD', 'PORTAL1_DA'],
      ['ELDER', 'PORTAL1_DA'],
    ]);
    for (const bad of ['OLD', 'OLD:NOPE', 'SOCIAL_ADS:PORTAL1_DA', 'A:B:C', ':PORTAL1_DA']) {
      expect(() => read({ CHANNEL_ALIASES: bad })).toThrow(`'${bad}'`);
    }
  });

  it('reads the origins of pages to the letter, and names what is none', () => {
    expect(read({}).CORS_ORIGINS.size).toBe(0);
    const origins = ['https://app.example.com', 'http://localhost:5173', 'https://[::1]:8443'];
    expect([...read({ CORS_ORIGINS: origins.join(', ') }).CORS_ORIGINS]).toEqual(origins);
    const none = '* null app.example.com https:// ftp://a.example file:///x https://*.example.com';
    const inexact =
      'https://a.example/ https://a.example/path https://a.example? https://A.example';
    const other = 'https://a.example:443 https://u:p@a.example https://ä.example ';
    for (const bad of `${none} ${inexact} ${other}`.split(' ')) {
      const reading = () => read({ CORS_ORIGINS: `https://app.example.com,${bad}` });
      expect(reading).toThrow(
        `CORS_ORIGINS: expected exact origins like https://app.example.com, got '${bad}'`,
      );
    }
  });

  it('trusts proxies by address and network, and names what is neither', () => {
    const TRUSTED_PROXIES = '10.0.0.1, 2001:db8::/32';
    expect(read({ TRUSTED_PROXIES }).TRUSTED_PROXIES).toBe(TRUSTED_PROXIES);
    expect(() => read({ TRUSTED_PROXIES: '10.0.0.1,proxy' })).toThrow('TRUSTED_PROXIES: expected');
    expect(() => read({ TRUSTED_PROXIES: '10.0.0.0/33' })).toThrow("got '10.0.0.0/33'");
  });

  it.each(['/api', '/a/b.c', '/v1~x'])('takes the base path %s', (BASE_PATH) => {
    expect(read({ BASE_PATH }).BASE_PATH).toBe(BASE_PATH);
  });

  it.each(['/', 'api', '/api/', '/a b', '/:x', '/a*'])('refuses the base path %s', (BASE_PATH) => {
    expect(() => read({ BASE_PATH })).toThrow('BASE_PATH');
  });
});
