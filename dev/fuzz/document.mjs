// @ts-check
/**
 * The OpenAPI document, as far as requests are made from it and answers are compared with it.
 *
 * @typedef {{ [keyword: string]: any }} Schema JSON Schema, of which some keywords are understood
 * @typedef {{ name: string, in: 'query' | 'path' | 'header', required: boolean, schema: Schema }} Parameter
 * @typedef {{ description: string, content?: Record<string, { schema: Schema }>, headers?: Record<string, Schema> }} Response
 *
 * @typedef {object} Operation
 * @property {string} name `GET /link`
 * @property {string} method
 * @property {string} path
 * @property {RegExp} pattern of addresses without their query
 * @property {readonly Parameter[]} parameters
 * @property {Readonly<Record<string, Schema>> | undefined} bodies by media type
 * @property {boolean} isUpload more than JSON is taken
 * @property {Readonly<Record<string, Response>>} responses by status
 *
 * @typedef {object} Api
 * @property {readonly Operation[]} operations
 * @property {Schema} components
 * @property {(schema: Schema) => Schema} resolve follows a reference
 *
 * @typedef {object} Input one place where a client's value goes in
 * @property {Operation} operation
 * @property {'query' | 'path' | 'header' | 'body'} place
 * @property {readonly string[]} path names down to the value; one name outside of bodies
 * @property {number} variant which of the body's alternatives has it
 */

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * @param {any} document as JSON gave it
 * @returns {Api}
 */
export function readDocument(document) {
  /** @type {(schema: Schema) => Schema} */
  const resolve = (schema) => {
    if (typeof schema.$ref !== 'string') return schema;
    const [, , section = '', name = ''] = schema.$ref.split('/');
    return resolve(document.components[section][name]);
  };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) =>
      readOperation(path, method, item[method]),
    ),
  );
  return { operations, components: document.components, resolve };
}

/**
 * @param {string} path
 * @param {string} method
 * @param {any} operation
 * @returns {Operation}
 */
function readOperation(path, method, { parameters = [], requestBody, responses }) {
  const bodies = /** @type {[string, { schema: Schema }][]} */ (
    Object.entries(requestBody?.content ?? {})
  );
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    parameters,
    bodies: requestBody && Object.fromEntries(bodies.map(([type, { schema }]) => [type, schema])),
    isUpload: bodies.some(([type]) => type !== 'application/json'),
    responses,
  };
}

/**
 * The schemas that a body may follow.
 * @param {Api} api
 * @param {Schema} schema
 * @returns {readonly Schema[]}
 */
export function alternatives(api, schema) {
  const own = api.resolve(schema);
  const parts = own.oneOf ?? own.anyOf;
  return parts ? parts.map(api.resolve) : [own];
}

/**
 * Every place where a client's value goes in.
 * @param {Api} api
 * @returns {Input[]}
 */
export function inputsOf(api) {
  return api.operations.flatMap((operation) => {
    const parameters = operation.parameters.map(({ name, in: place }) => ({
      operation,
      place,
      path: [name],
      variant: 0,
    }));
    const schema = operation.bodies?.['application/json'];
    const fields = (schema ? alternatives(api, schema) : []).flatMap((alternative, variant) =>
      fieldsOf(api, alternative, []).map((path) => ({
        operation,
        place: /** @type {const} */ ('body'),
        path,
        variant,
      })),
    );
    return [...parameters, ...fields];
  });
}

/**
 * @param {Api} api
 * @param {Schema} schema
 * @param {readonly string[]} path
 * @returns {string[][]}
 */
function fieldsOf(api, schema, path) {
  const { properties = {} } = api.resolve(schema);
  return Object.entries(properties).flatMap(([name, field]) => {
    const own = [...path, name];
    const below = path.length < 4 ? fieldsOf(api, field, own) : [];
    return [own, ...below];
  });
}

/**
 * @param {Api} api
 * @param {string} method
 * @param {string} path without the query
 * @returns {Operation | undefined}
 */
export function operationAt(api, method, path) {
  const wanted = method === 'HEAD' ? 'GET' : method;
  return api.operations.find((one) => one.method === wanted && one.pattern.test(path));
}
