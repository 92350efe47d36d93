// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { workerNodeOptions } from '../start/apps.mjs';
import { readApps } from './apps.mjs';
import { composeVariables } from './compose.mjs';
import { readSchema } from './read-schema.mjs';
import { writeExample, writePage } from './write.mjs';

/** @param {string} path */
const read = (path) => readFileSync(join(__dirname, '../..', path), 'utf8');

describe('the committed files', () => {
  it('docs/configuration.md is what `npm run configuration` writes', () => {
    expect(read('docs/configuration.md')).toBe(writePage(readApps()));
  });

  it('.env.example is what `npm run configuration` writes', () => {
    expect(read('.env.example')).toBe(writeExample(readApps()));
  });
});

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml');
  const apps = readApps();
  const known = apps.flatMap(({ variables }) => variables.map(({ name }) => name));

  it.each(['api', 'worker'])('sets for %s only variables that an app reads', (service) => {
    expect([...composeVariables(text, service)].filter((name) => !known.includes(name))).toEqual(
      [],
    );
  });

  it.each(['api', 'worker'])('sets for %s everything without a default', (service) => {
    const { variables } = apps.find(({ name }) => name === service) ?? { variables: [] };
    const required = variables.filter((one) => one.required).map(({ name }) => name);
    expect(required.length).toBeGreaterThan(0);
    expect([...composeVariables(text, service)]).toEqual(expect.arrayContaining(required));
  });
});

describe('the heap of the worker', () => {
  it('has one bound wherever it is started', () => {
    const [option] = workerNodeOptions;
    expect(option).toMatch(/^--max-old-space-size=\d+$/);
    expect(JSON.parse(read('apps/worker/package.json')).scripts.start).toContain(` ${option} `);
    expect(read('Dockerfile')).toContain(`ENV NODE_OPTIONS=${option}\n`);
    expect(read('docs/configuration.md')).toContain(`node ${option} --env-file`);
  });
});

describe('composeVariables', () => {
  const text = `x-app: &app
  environment: &env
    A: 1
    # B: 2
services:
  one:
    environment:
      <<: *env
      C: 3
    ports: ['1:1']
  two:
    environment:

      D: 4
`;

  it('takes the common part only where it is merged in', () => {
    expect([...composeVariables(text, 'one')]).toEqual(['C', 'A']);
    expect([...composeVariables(text, 'two')]).toEqual(['D']);
  });

  it('names the key that is missing', () => {
    expect(() => composeVariables(text, 'three')).toThrow("'three:'");
  });
});

describe('readSchema', () => {
  it('tells required, default and the accepted values of a variable', () => {
    const schema = z.object({
      A: z.string().describe('a'),
      B: z.enum(['x', 'y']).default('x').describe('b'),
      C: z.string().optional().describe('c'),
      D: z.preprocess((value) => value, z.coerce.number().default(3)).describe('d'),
    });
    expect(readSchema(schema)).toEqual([
      { name: 'A', meaning: 'a', required: true, fallback: '', values: [] },
      { name: 'B', meaning: 'b', required: false, fallback: 'x', values: ['x', 'y'] },
      { name: 'C', meaning: 'c', required: false, fallback: '', values: [] },
      { name: 'D', meaning: 'd', required: false, fallback: '3', values: [] },
    ]);
  });

  it('refuses a variable without a description, and a default that cannot be written down', () => {
    expect(() => readSchema(z.object({ A: z.string() }))).toThrow('A is not described');
    const schema = z.object({ A: z.array(z.string()).default([]).describe('a') });
    expect(() => readSchema(schema)).toThrow('cannot be written down');
  });
});

describe('writeExample', () => {
  it('shows a variable of several apps once, and no default where they differ', () => {
    const variable = { name: 'A', meaning: 'm', required: false, fallback: '1', values: [] };
    const apps = [
      { name: 'one', variables: [variable] },
      { name: 'two', variables: [{ ...variable, fallback: '2' }] },
    ];
    expect(writeExample(apps).split('\n').slice(2)).toEqual([
      '# one: m',
      '# two: m',
      '# The default differs: see docs/configuration.md.',
      '# A=',
      '',
    ]);
  });
});
