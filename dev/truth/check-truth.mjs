// @ts-check
/**
 * Compares every stored figure of the running instance with the sandbox's truth: each ad account, campaign, ad group and
 * ad, each day, total and every list entry with its ratios, and the blog's days. Ends with 1 when anything differs.
 *
 *   npm run truth -- [--start YYYY-MM-DD] [--end YYYY-MM-DD] [--channel TYPE]
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { checkAds } from './check-ads.mjs';
import { checkBlog } from './check-blog.mjs';
import { compareClaims, createListsSeen } from './lists-seen.mjs';
import { getOk } from './sources.mjs';
import { createTally } from './tally.mjs';

const RUN_FILE = '.tributary/run.json';
const SHOWN_MAX = 20;
const DAY_MS = 86_400_000;

/** @param {number} daysAgo */
function dayBefore(daysAgo) {
  return new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

async function main() {
  const { values } = parseArgs({
    options: {
      start: { type: 'string', default: dayBefore(89) },
      end: { type: 'string', default: dayBefore(1) },
      channel: { type: 'string' },
      run: { type: 'string', default: RUN_FILE },
    },
  });
  const run = JSON.parse(await readFile(values.run, 'utf8'));
  const range = { start: values.start, end: values.end };
  const seen = createListsSeen();
  /** @type {import('./sources.mjs').Link[]} */
  const links = (await getOk(`${run.api}/link`)).body;
  const checked = links.filter(({ type }) => type === (values.channel ?? type));
  let isRight = checked.length > 0;
  for (const link of checked) {
    const tally = createTally();
    const check = link.type === 'PORTAL1_BLOG' ? checkBlog : checkAds;
    await check({ run, link, range, tally, seen });
    const { cells, figures, movedOn, differences } = tally.result();
    for (const difference of differences.slice(0, SHOWN_MAX)) console.log(difference);
    console.log(
      `${link.type}: ${cells} cells with ${figures} objects compared, ${differences.length} differ` +
        `${movedOn > 0 ? `, ${movedOn} moved on since they were read` : ''} (${range.start}..${range.end})`,
    );
    isRight &&= cells > 0 && differences.length === 0;
  }
  const claims = compareClaims(
    checked.map(({ type }) => type),
    seen,
  );
  for (const claim of claims.wrong) console.log(claim);
  console.log(
    `${claims.count} lists of the channel table compared, ${claims.wrong.length} are not as it says`,
  );
  if (!isRight || claims.wrong.length > 0) process.exitCode = 1;
}

await main();
