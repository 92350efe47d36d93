// @ts-check
/**
 * `npm run mutation`: changes the arithmetic, the planning and the reading of platforms' rows in small ways, file by file, and
 * tells which changes the unit tests of that file do not notice. Arguments: parts of the paths that are wanted (default all).
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { strykerOptions } from './stryker.config.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const shared = ['metrics', 'exact', 'plan', 'due', 'slots', 'seal', 'suspicion', 'sealed'];
const connectors = 'packages/connectors/src';
const leastScore = 80;

/** Tests of files that have none of their own name. */
/** @type {Record<string, string[]>} */
const testedBy = {
  'packages/shared/src/due.ts': ['plan.test.ts'],
  'packages/shared/src/sealed.ts': ['state.test.ts'],
};

function mutatedFiles() {
  const normalizers = readdirSync(join(root, connectors), { withFileTypes: true })
    .filter((folder) => folder.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(join(root, connectors, name)).map((file) => `${connectors}/${name}/${file}`),
    )
    .filter((path) => /\/normalize[^/]*\.ts$/.test(path) && !path.endsWith('.test.ts'));
  return [...shared.map((name) => `packages/shared/src/${name}.ts`), ...normalizers];
}

/** @param {string} file */
function testsOf(file) {
  const own = basename(file).replace(/\.ts$/, '.test.ts');
  const names = testedBy[file] ?? [own];
  const tests = names.map((name) => `${dirname(file)}/${name}`);
  const absent = tests.find((test) => !existsSync(join(root, test)));
  if (absent) throw new Error(`${file} has no unit tests: there is no ${absent}`);
  return tests;
}

/**
 * @param {string} file
 * @returns {Promise<{ mutants: number, noticed: number }>}
 */
async function mutate(file) {
  const results = await new Stryker(strykerOptions(file, testsOf(file))).runMutationTest();
  const count = (/** @type {string[]} */ ...wanted) =>
    results.filter(({ status }) => wanted.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  return { noticed, mutants: noticed + count('Survived', 'NoCoverage') };
}

async function main() {
  const wanted = process.argv.slice(2);
  const files = mutatedFiles().filter(
    (file) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  );
  const lines = ['Noticed changes:'];
  for (const file of files) {
    const { noticed, mutants } = await mutate(file);
    const score = (100 * noticed) / mutants;
    if (score < leastScore) process.exitCode = 1;
    lines.push(
      `${score.toFixed(1).padStart(6)} %  ${String(noticed).padStart(4)} of ${String(mutants).padStart(4)}  ${file}`,
    );
  }
  console.log(lines.join('\n'));
}

await main();
