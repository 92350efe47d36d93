// @ts-check
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createDocument } from '../../apps/api/src/openapi/document.ts';
import { createRoutes } from '../../apps/api/src/routes.ts';
import { fieldText, typeName, typeText } from './type-text.mjs';

/**
 * @typedef {{ name: string, in: 'path' | 'query' | 'header', required: boolean, description: string, schema: import('./type-text.mjs').JsonSchema }} Parameter
 * @typedef {{ content?: Record<string, { schema: import('./type-text.mjs').JsonSchema }>, headers?: Record<string, unknown> }} Content
 * @typedef {{ operationId: string, summary: string, description: string, parameters?: Parameter[], requestBody?: Content, responses: Record<string, Content> }} Operation
 * @typedef {{ paths: Record<string, Record<string, Operation>>, components: { schemas: Record<string, any> } }} Document
 */

const FORMAT_TIMEOUT_MS = 60_000;
const JSON_TYPE = 'application/json';

/** From the root of the repository. */
export const OPERATIONS_FILE = 'packages/client/src/operations.ts';

/** @returns {Document} of every route that there is */
export function createWholeDocument() {
  const routes = createRoutes({ channelAliases: new Map(), allowPrivateAddresses: false });
  return /** @type {any} */ (createDocument(routes, ''));
}

/**
 * The client's part that follows from the OpenAPI document: a type for each schema, what each operation takes and answers,
 * and how it is asked.
 * @param {Document} document
 * @returns {string}
 */
export function writeOperations({ paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${typeName(name)} = ${typeText(schema, 'read')};\n`,
  );
  return formatted(`// Written by \`npm run client\` from the OpenAPI document.

${schemas.join('\n')}
/** What each operation takes and answers. */
export interface Operations {
${operations.map(({ operation }) => operationText(operation)).join('\n')}
}

/** How each operation is asked. */
export const OPERATIONS = {
${operations.map(requestText).join('\n')}
} as const;
`);
}

/** @param {Operation} operation */
function operationText({
  operationId,
  summary,
  description,
  parameters = [],
  requestBody,
  responses,
}) {
  const fields = parameters
    .filter((one) => one.in !== 'header')
    .map(
      (one) =>
        `/** ${one.description} */\n${fieldText(one.name, parameterType(one), one.required, 'written')}`,
    );
  const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const schema = answer?.content?.[JSON_TYPE]?.schema;
  return `/**
 * ${summary}.
 *
 * ${description.replaceAll('\n', '\n * ')}
 */
${operationId}: {
  input: {
${[...fields, ...bodyFields(requestBody)].join(';\n')}
};
  answer: ${schema ? typeText(schema, 'read') : 'undefined'};
};`;
}

/**
 * What consists of digits may be given as a number; any other text never, as long ids do not survive that.
 * @param {Parameter} parameter
 */
function parameterType({ schema }) {
  const type = typeText(schema, 'written');
  return type === 'string' && schema.pattern?.startsWith('^[1-9]') ? 'string | number' : type;
}

/**
 * A body of JSON is given as it is; one that may be of several media types as its text or bytes.
 * @param {Content | undefined} requestBody
 */
function bodyFields(requestBody) {
  if (!requestBody) return [];
  const types = mediaTypes(requestBody);
  if (types.length === 1) {
    return [`body: ${typeText(requestBody.content?.[JSON_TYPE]?.schema ?? {}, 'written')}`];
  }
  const names = types.map((type) => JSON.stringify(type));
  return ['body: string | Uint8Array<ArrayBuffer> | Blob', `contentType: ${names.join(' | ')}`];
}

/** @param {Content} content */
function mediaTypes({ content = {} }) {
  return Object.keys(content);
}

/** @param {{ path: string, method: string, operation: Operation }} place */
function requestText({ path, method, operation }) {
  const { operationId, parameters = [], responses } = operation;
  const request = {
    method: method.toUpperCase(),
    path,
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') && { isOnce: true }),
    ...(parameters.some(({ name }) => name === 'If-Match') && { isVersioned: true }),
    ...(responses[304] && { isData: true }),
    ...(responses[200]?.headers?.Link && { isPaged: true }),
  };
  return `${operationId}: ${JSON.stringify(request)},`;
}

/** @param {string} source */
function formatted(source) {
  const biome = join('node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [biome, 'format', `--stdin-file-path=${OPERATIONS_FILE}`],
    { input: source, encoding: 'utf8', timeout: FORMAT_TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`Could not be formatted: ${stderr}\n${source}`);
  return stdout;
}
