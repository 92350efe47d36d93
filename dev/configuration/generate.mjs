// @ts-check
/** `npm run configuration`: writes docs/configuration.md and .env.example from the apps' schemas. Wants a build. */
import { writeFile } from 'node:fs/promises';
import { readApps } from './apps.mjs';
import { writeExample, writePage } from './write.mjs';

const root = new URL('../../', import.meta.url);
const apps = readApps();
await writeFile(new URL('docs/configuration.md', root), writePage(apps));
await writeFile(new URL('.env.example', root), writeExample(apps));
