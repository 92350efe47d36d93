import { readEnv } from '@tributary/runtime';
import { WorkerEnvSchema } from './env.ts';

const key = Buffer.from(Array.from({ length: 32 }, (_, byte) => byte)).toString('base64');
const read = (env: Record<string, string>) =>
  readEnv(WorkerEnvSchema, {
    MONGODB_URI: 'mongodb://127.0.0.1/x',
    REDIS_URL: 'redis://127.0.0.1',
    CREDENTIALS_KEYS: `k:${key}`,
    ...env,
  });

describe('WorkerEnvSchema', () => {
  it('asks for keys at the queue page unless told otherwise, and that only on loopback', () => {
    expect(read({})).toMatchObject({ AUTH: 'on', HOST: '127.0.0.1' });
    expect(read({ HOST: '0.0.0.0' }).AUTH).toBe('on');
    expect(read({ AUTH: 'off' }).AUTH).toBe('off');
    expect(() => read({ AUTH: 'off', HOST: '0.0.0.0' })).toThrow('AUTH: off is allowed only');
  });
});
