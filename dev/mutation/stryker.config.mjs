// @ts-check
/**
 * One run of Stryker: what is changed, and the only tests that have to notice.
 * @param {string} file
 * @param {readonly string[]} tests
 * @returns {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export function strykerOptions(file, tests) {
  return {
    mutate: [file],
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    jest: {
      projectType: 'custom',
      enableFindRelatedTests: false,
      configFile: 'dev/mutation/jest.config.json',
      config: { testMatch: tests.map((path) => `<rootDir>/${path}`) },
    },
    coverageAnalysis: 'perTest',
    // What is made at import needs all tests anew for each change: the quick ones of the platforms' words.
    ignoreStatic: !file.startsWith('packages/connectors/'),
    concurrency: 2,
    timeoutMS: 20_000,
    dryRunTimeoutMinutes: 5,
    // Nothing has to be compiled, and TypeScript 7 has no interface for programs.
    tsconfigFile: 'none.json',
    disableTypeChecks: false,
    ignorePatterns: ['.tributary', 'apps', 'docs', 'packages/{database,queue}', '**/dist'],
    reporters: ['clear-text'],
    clearTextReporter: {
      allowColor: false,
      logTests: false,
      allowEmojis: false,
      reportScoreTable: false,
    },
    tempDirName: '.stryker-tmp',
  };
}
