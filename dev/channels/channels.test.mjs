// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeChannelsPage } from './page.mjs';

test('docs/channels.md is what `npm run channels` writes', () => {
  const committed = readFileSync(join(__dirname, '../../docs/channels.md'), 'utf8');
  expect(committed).toBe(writeChannelsPage());
});
