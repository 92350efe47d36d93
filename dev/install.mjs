// @ts-check
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './ensure-installed.mjs';

await ensureInstalled({ root: fileURLToPath(new URL('..', import.meta.url)), log: console.log });
