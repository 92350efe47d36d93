// @ts-check
/** `npm run client`: writes the client's operations from the OpenAPI document. Wants a build. */
import { writeFile } from 'node:fs/promises';
import { createWholeDocument, OPERATIONS_FILE, writeOperations } from './operations.mjs';

await writeFile(OPERATIONS_FILE, writeOperations(createWholeDocument()));
