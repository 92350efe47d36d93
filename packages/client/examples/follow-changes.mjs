// @ts-check
/**
 * Prints which days are worth reading again, a line of JSON each, and goes on where it ended before.
 *
 *   TRIBUTARY_URL=… TRIBUTARY_KEY=… node follow-changes.mjs <file that keeps the cursor>
 */
import { readFile, writeFile } from 'node:fs/promises';
import { CursorExpiredError, createClient } from '@tributary/client';

const { TRIBUTARY_URL: baseUrl = 'http://127.0.0.1:8080', TRIBUTARY_KEY: apiKey } = process.env;
const [file = 'cursor.txt'] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });

const cursor = await readFile(file, 'utf8').catch(() => undefined);
try {
  // With `pollMs: 60_000` it would go on for ever.
  for await (const page of client.followChanges({ cursor })) {
    for (const change of page.changes) console.log(JSON.stringify(change));
    await writeFile(file, page.cursor); // only now: what is not dealt with comes again
  }
} catch (error) {
  if (!(error instanceof CursorExpiredError)) throw error;
  console.error(`Read everything again, then remove ${file}: ${error.detail}`);
  process.exitCode = 1;
}
