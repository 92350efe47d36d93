// @ts-check
import { readPorts, withDatabase } from './settings.mjs';

test('ports not set have their defaults', () => {
  expect(readPorts({ API_PORT: '9000', SANDBOX_PORT: '' })).toEqual({
    API_PORT: 9000,
    API_ADMIN_PORT: 8081,
    WORKER_ADMIN_PORT: 8082,
    SANDBOX_PORT: 8090,
  });
});

test('every bad port is named with its value', () => {
  expect(() => readPorts({ API_PORT: '0', API_ADMIN_PORT: '70000', SANDBOX_PORT: 'x' })).toThrow(
    "API_PORT: expected a port from 1 to 65535, got '0'\n" +
      "API_ADMIN_PORT: expected a port from 1 to 65535, got '70000'\n" +
      "SANDBOX_PORT: expected a port from 1 to 65535, got 'x'",
  );
});

test('two programs never get the same port', () => {
  expect(() => readPorts({ WORKER_ADMIN_PORT: '8080' })).toThrow(
    'port 8080 is already that of API_PORT',
  );
});

test.each([
  ['mongodb://h:1', 'mongodb://h:1/tributary'],
  ['mongodb://h:1/', 'mongodb://h:1/tributary'],
  ['mongodb://h:1/own', 'mongodb://h:1/own'],
  ['mongodb://a:1,b:2/?replicaSet=r', 'mongodb://a:1,b:2/tributary?replicaSet=r'],
  ['mongodb+srv://u:p%2F@h/own?tls=true', 'mongodb+srv://u:p%2F@h/own?tls=true'],
  ['mongodb://h?w=1', 'mongodb://h/tributary?w=1'],
])('%s gets a database', (uri, expected) => {
  expect(withDatabase(uri, 'tributary')).toBe(expected);
});
