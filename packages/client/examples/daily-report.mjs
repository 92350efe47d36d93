// @ts-check
/**
 * Prints one day of every ad account of a record as CSV; ends with 1 when the figures are not complete.
 *
 *   TRIBUTARY_URL=… TRIBUTARY_KEY=… node daily-report.mjs <data id> <YYYY-MM-DD>
 */
import { createClient } from '@tributary/client';

const { TRIBUTARY_URL: baseUrl = 'http://127.0.0.1:8080', TRIBUTARY_KEY: apiKey } = process.env;
const [id = '', day = ''] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });

for await (const account of client.entriesOf('getLinkEntities', { id, level: 'adAccount' })) {
  const asked = { id, value: account.id, start: day, end: day };
  const { data, state, missing } = await client.getDataAdAccount(asked, { as: 'csv' });
  process.stdout.write(data);
  if (state === 'final' || state === 'provisional') continue;
  console.error(`${account.title}: ${state}, ${missing.count} missing`);
  process.exitCode = 1;
}
