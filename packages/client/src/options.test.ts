import { createClient } from './client.ts';

const baseUrl = 'https://api.example.com';

test.each([
  [{ baseUrl: 'api.example.com' }, "Invalid baseUrl 'api.example.com'"],
  [{ baseUrl: 'ftp://api.example.com' }, 'Invalid baseUrl'],
  [{ baseUrl: 'https://u:p@api.example.com' }, 'Invalid baseUrl'],
  [{ baseUrl: 'https://api.example.com/?a' }, 'Invalid baseUrl'],
  [{ baseUrl, timeoutMs: 0 }, 'Invalid timeoutMs 0'],
  [{ baseUrl, timeoutMs: Number.POSITIVE_INFINITY }, 'Invalid timeoutMs Infinity'],
  [{ baseUrl, timeoutMs: 2 ** 31 }, 'Invalid timeoutMs'],
  [{ baseUrl, retries: 11 }, 'Invalid retries 11'],
  [{ baseUrl, retries: 1.5 }, 'Invalid retries 1.5'],
])('%j is refused', (options, message) => {
  expect(() => createClient(options)).toThrow(message);
});

test('a key that is no header value is refused without being quoted', () => {
  expect(() => createClient({ baseUrl, apiKey: 'secret\n' })).toThrow(
    /^Invalid apiKey, expected visible ASCII characters$/,
  );
});
