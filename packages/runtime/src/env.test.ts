import { z } from 'zod';
import {
  EnvError,
  envBaseUrl,
  envBoolean,
  envCredentialKeys,
  envInteger,
  envPort,
  readEnv,
} from './env.ts';

const Schema = z.object({
  PORT: envPort().default(8080).describe('Port to listen on'),
  OPEN: envBoolean().default(false).describe('Whether it is open'),
  BASE: envBaseUrl().optional().describe('Where the platform is'),
  URI: z.string().describe('Where the database is'),
  KEYS: envCredentialKeys().optional().describe('Keys'),
  LIMIT: envInteger(1, 5).optional().describe('How many'),
});

const read = (source: Record<string, string>) => readEnv(Schema, { URI: 'x', ...source });

function problemsOf(source: Record<string, string | undefined>): EnvError {
  try {
    readEnv(Schema, source);
  } catch (error) {
    if (error instanceof EnvError) return error;
  }
  throw new Error('nothing was refused');
}

describe('readEnv', () => {
  it('reads the named variables only and applies defaults', () => {
    expect(readEnv(Schema, { URI: 'mongodb://x', HOME: '/root', PORT: '81' })).toEqual({
      PORT: 81,
      OPEN: false,
      URI: 'mongodb://x',
    });
  });

  it('counts a blank variable as not set', () => {
    expect(read({ PORT: ' ', BASE: '' })).toEqual({ PORT: 8080, OPEN: false, URI: 'x' });
    expect(problemsOf({ URI: '' }).message).toContain('URI: is required and not set');
  });

  it('lists every bad variable with its reason at once', () => {
    const { problems } = problemsOf({ PORT: '70000', OPEN: 'yes', LIMIT: '9' });
    expect(problems).toEqual([
      { name: 'PORT', reason: "expected a whole number from 0 to 65535, got '70000'" },
      { name: 'OPEN', reason: "expected true or false, got 'yes'" },
      { name: 'URI', reason: 'is required and not set' },
      { name: 'LIMIT', reason: "expected a whole number from 1 to 5, got '9'" },
    ]);
  });

  it('never repeats the value of an address', () => {
    const error = problemsOf({
      URI: 'x',
      BASE: 'https://user:hunter2@platform.example/?key=hunter2',
    });
    expect(error.problems.map(({ name }) => name)).toEqual(['BASE']);
    expect(JSON.stringify(error) + error.message).not.toContain('hunter2');
  });

  it('refuses a schema whose keys are not all described', () => {
    expect(() => readEnv(z.object({ A: z.string(), B: z.string().describe('b') }), {})).toThrow(
      'Variables without .describe(): A',
    );
  });
});

describe('helpers', () => {
  it.each([
    ['true', true],
    ['false', false],
  ])('reads the boolean %s', (text, expected) => {
    expect(read({ OPEN: text }).OPEN).toBe(expected);
  });

  it.each(['yes', '1', 'TRUE', 'no', '0', 'off'])('refuses %s as a boolean', (text) => {
    expect(() => read({ OPEN: text })).toThrow(EnvError);
  });

  it.each(['-1', '65536', '80.5', '0x50', '8e3', 'http'])('refuses %s as a port', (text) => {
    expect(() => read({ PORT: text })).toThrow(EnvError);
  });

  it('reads a base address without its trailing slash', () => {
    expect(read({ BASE: 'https://platform.example/v1/' }).BASE).toBe('https://platform.example/v1');
    expect(read({ BASE: 'http://127.0.0.1:9000' }).BASE).toBe('http://127.0.0.1:9000');
  });

  it.each([
    'file:///etc/passwd',
    'platform.example',
    'https://a:b@platform.example',
    'https://platform.example/?a=1',
    'https://platform.example/#a',
  ])('refuses %s as a base address', (text) => {
    expect(() => read({ BASE: text })).toThrow(EnvError);
  });

  it.each([
    ['k1', "entry 1 is not 'kid:base64(32 bytes)'"],
    ['k1:dG9vIHNob3J0', "key 'k1' has 9 bytes, expected 32"],
    [`k1:${'A'.repeat(43)}=`, "key 'k1' is one byte over and over, set a random one"],
  ])('refuses the keys %s, naming no key', (text, reason) => {
    const { problems } = problemsOf({ URI: 'x', KEYS: text });
    expect(problems).toEqual([{ name: 'KEYS', reason }]);
  });
});
