import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createRoutes } from '../routes.ts';
import { createDocument, operationId } from './document.ts';

interface Media {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}
interface Content {
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  description: string;
  requestBody?: Content;
  responses: Record<string, Content>;
}

const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });
const document = createDocument(routes, '');
const paths = document.paths as Record<string, Record<string, Operation>>;

test('every route is in it, with its scope and an operation id of its own', () => {
  const ids = new Set<string>();
  for (const route of routes) {
    const operation = paths[route.path]?.[route.method.toLowerCase()];
    expect(operation?.operationId).toBe(operationId(route));
    expect(operation?.description).toContain(`\`${route.scope}\``);
    ids.add(operationId(route));
  }
  expect(ids.size).toBe(routes.length);
});

test('the recommended rules find nothing', () => {
  const lint = join(__dirname, '../../../../dev/openapi/lint.mjs');
  const input = JSON.stringify(document);
  const { stdout, stderr, status } = spawnSync(process.execPath, [lint], {
    input,
    timeout: 60_000,
  });
  expect([String(stdout), String(stderr), status]).toEqual(['', '', 0]);
});

test('every example fits its schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const { components } = document;
  const media = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)])
    .flatMap((body) => Object.values(body?.content ?? {}));
  const examples = media.flatMap(({ schema, examples = {} }) => {
    const validate = ajv.compile({ ...schema, components });
    return Object.entries(examples).map(([name, { value }]) => [
      name,
      validate(value),
      validate.errors,
    ]);
  });
  expect(examples.length).toBeGreaterThan(20);
  for (const [name, ...result] of examples) expect([name, ...result]).toEqual([name, true, null]);
});
