// @ts-check
/**
 * Has days of a record read again, waits until that is done, and tells what failed.
 *
 *   TRIBUTARY_URL=… TRIBUTARY_KEY=… node refresh.mjs <data id> <first day> <last day>
 */
import { createClient } from '@tributary/client';

const { TRIBUTARY_URL: baseUrl = 'http://127.0.0.1:8080', TRIBUTARY_KEY: apiKey } = process.env;
const [id, start, end] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });

const { data: asked } = await client.postRefresh({ body: { id, start, end } });
const run = await client.waitForRefresh(asked.id, { timeoutMs: 5 * 60_000, pollMs: 500 });
console.log(`${run.done} of ${run.planned} read, ${run.failed} failed`);
for (const { date, source, detail } of run.failures) console.log(`${date} ${source}: ${detail}`);
if (run.percent < 100) process.exitCode = 1;
