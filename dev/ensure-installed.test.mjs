// @ts-check
import { installStamp } from './ensure-installed.mjs';

const runtime = { version: 'v20.20.2', platform: 'linux', arch: 'x64' };
const stamp = installStamp('{}', runtime);

test('the same lock file on the same runtime needs no installation', () => {
  expect(installStamp('{}', { ...runtime })).toBe(stamp);
  expect(installStamp('{}', { ...runtime, version: 'v20.19.0' })).toBe(stamp);
});

test.each([
  ['lock file', '{"a":1}', runtime],
  ['major version of Node', '{}', { ...runtime, version: 'v24.1.0' }],
  ['platform', '{}', { ...runtime, platform: 'darwin' }],
  ['architecture', '{}', { ...runtime, arch: 'arm64' }],
])('another %s needs another installation', (_, lock, other) => {
  expect(installStamp(lock, other)).not.toBe(stamp);
});
