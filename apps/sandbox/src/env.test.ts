import { readEnv } from './env.ts';

it('fills defaults, also for variables that are set to nothing', () => {
  expect(readEnv({ SANDBOX_PORT: '', SANDBOX_NOW: '' })).toMatchObject({
    SANDBOX_PORT: 8090,
    SANDBOX_HOST: '127.0.0.1',
    SANDBOX_SEED: 'tributary',
    SANDBOX_SCALE: 1,
    SANDBOX_REQUIRE_PROOF: 'false',
  });
});

it('names every bad variable in one error', () => {
  const read = () => readEnv({ SANDBOX_PORT: 'x', SANDBOX_NOW: 'soon', SANDBOX_SCALE: '0' });
  expect(read).toThrow(/SANDBOX_PORT[\s\S]*SANDBOX_NOW[\s\S]*SANDBOX_SCALE/);
});
