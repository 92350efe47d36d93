/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const packages = ['shared', 'client', 'runtime', 'connectors', 'database', 'queue'];
const apps = ['api', 'worker', 'sandbox'];

/** Tests run against the sources of the workspace packages: no build needed for `npx jest`. */
const workspaceSources = (root: string) => ({
  [`^@tributary/(${packages.join('|')})$`]: `${root}/packages/$1/src/index.ts`,
});

const project = (name: string, dir: string) => ({
  displayName: name,
  rootDir: dir,
  testEnvironment: 'node' as const,
  testMatch: ['<rootDir>/src/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.m?[jt]s$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        sourceMaps: 'inline',
      },
    ] as [string, Record<string, unknown>],
  },
  moduleNameMapper: workspaceSources('<rootDir>/../..'),
});

const config: Config = {
  // A project's own is not heeded.
  testTimeout: 30_000,
  projects: [
    ...packages.map((name) => project(name, `<rootDir>/packages/${name}`)),
    ...apps.map((name) => project(name, `<rootDir>/apps/${name}`)),
    // Plain scripts that run before anything is built.
    {
      ...project('dev', '<rootDir>/dev'),
      testMatch: ['<rootDir>/**/*.test.mjs'],
      moduleNameMapper: workspaceSources('<rootDir>/..'),
    },
  ],
};
export default config;
