// @ts-check
/** `npm run channels`: writes docs/channels.md from the channel table. */
import { writeFile } from 'node:fs/promises';
import { writeChannelsPage } from './page.mjs';

await writeFile(new URL('../../docs/channels.md', import.meta.url), writeChannelsPage());
