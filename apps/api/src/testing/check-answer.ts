import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Route } from '../http/define-route.ts';
import { createDocument } from '../openapi/document.ts';

interface Answer {
  status: number;
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  text: string;
}
type Responses = Record<string, { content?: Record<string, { schema: object }> }>;
type Paths = Record<string, Record<string, { responses: Responses }>>;

/**
 * Compares every answer of a test API with the OpenAPI document: its status must be told of, and its body must fit the schema.
 *
 * @returns a check that throws what does not fit
 */
export function createAnswerCheck(routes: readonly Route[], basePath: string) {
  const document = createDocument(routes, basePath);
  const paths = Object.entries(document.paths as Paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${basePath}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    operations,
  }));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validators = new Map<object, ValidateFunction>();
  const validatorOf = (schema: object) => {
    const known =
      validators.get(schema) ?? ajv.compile({ ...schema, components: document.components });
    validators.set(schema, known);
    return known;
  };
  return (method: string, url: string, { status, headers, text }: Answer) => {
    const [path = ''] = url.split('?', 1);
    const operations = paths.find(({ pattern }) => pattern.test(path))?.operations;
    const operation = operations?.[method.toLowerCase().replace('head', 'get')];
    if (!operation) return;
    const response = operation.responses[status];
    const place = `${method} ${path} ${status}`;
    if (headers['x-request-id'] === undefined) throw new Error(`${place} has no X-Request-Id`);
    if (!response) throw new Error(`${place} is not in the OpenAPI document`);
    if (text === '') return;
    const [type = ''] = String(headers['content-type']).split(';', 1);
    const schema = response.content?.[type]?.schema;
    if (!schema)
      throw new Error(`${place} sends ${type}, which the OpenAPI document does not know`);
    const isChecked = type.endsWith('json') || type === 'text/csv';
    if (!isChecked || headers['content-encoding'] !== undefined) return;
    const validate = validatorOf(schema);
    if (validate(type === 'text/csv' ? text : JSON.parse(text))) return;
    throw new Error(
      `${place} does not fit the OpenAPI document: ${ajv.errorsText(validate.errors)}`,
    );
  };
}
