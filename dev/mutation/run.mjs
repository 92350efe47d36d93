// @ts-check
/**
 * `npm run mutation`: changes the arithmetic, the planning and the reading of platforms' rows in small ways, file by file, and
 * tells which changes the unit tests of that file do not notice. Arguments: parts of the paths that are wanted (default all).
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { strykerOptions } from './stryker.config.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const shared = ['metrics', 'exact', 'plan', 'due', 'slots', 'seal', 'suspicion', 'sealed'];
const connectors = 'packages/connectors/src';
/** What reads a platform's rows without being called a normalizer. */
const readers = [
  'figure',
  'portal1-search-ad/report-row',
  'portal1-search-ad/layouts',
  'portal1-search-ad/tables',
  'portal1-search-ad/words',
  'portal2/camel-keys',
  'portal2/figures',
  'portal2/report-day',
  'feed/dimension-words',
];
const leastScore = 80;

function mutatedFiles() {
  const normalizers = readdirSync(join(root, connectors), { withFileTypes: true })
    .filter((folder) => folder.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(join(root, connectors, name)).map((file) => `${connectors}/${name}/${file}`),
    )
    .filter((path) => /\/normalize[^/]*\.ts$/.test(path) && !path.endsWith('.test.ts'));
  return [
    ...shared.map((name) => `packages/shared/src/${name}.ts`),
    ...normalizers,
    ...readers.map((name) => `${connectors}/${name}.ts`),
  ];
}

/** @param {string} file */
function testsOf(file) {
  const tests = file.replace(/\.ts$/, '.test.ts');
  if (!existsSync(join(root, tests))) throw new Error(`${file} has no unit tests: no ${tests}`);
  return [tests];
}

/**
 * @param {string} file
 * @returns {Promise<{ mutants: number, noticed: number, late: number }>}
 */
async function mutate(file) {
  const results = await new Stryker(strykerOptions(file, testsOf(file))).runMutationTest();
  const count = (/** @type {string[]} */ ...wanted) =>
    results.filter(({ status }) => wanted.includes(status)).length;
  const late = count('Timeout');
  const noticed = count('Killed') + late;
  return { noticed, late, mutants: noticed + count('Survived', 'NoCoverage') };
}

async function main() {
  const wanted = process.argv.slice(2);
  const files = mutatedFiles().filter(
    (file) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  );
  const lines = ['Noticed changes:'];
  for (const file of files) {
    const { noticed, late, mutants } = await mutate(file);
    const score = (100 * noticed) / mutants;
    if (score < leastScore) process.exitCode = 1;
    lines.push(
      `${score.toFixed(1).padStart(6)} %  ${String(noticed).padStart(4)} of ${String(mutants).padStart(4)} (${late} by time)  ${file}`,
    );
  }
  console.log(lines.join('\n'));
}

await main();
