// @ts-check

/** @typedef {Record<string, any>} JsonSchema of the subset that the API's schemas are translated to */
/**
 * What is written may be given as undefined, which is the same as leaving it out; what is read never is undefined.
 * @typedef {'read' | 'written'} Direction
 */

const REFERENCE = '#/components/schemas/';
const PLAIN_TYPES = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
]);

/**
 * The name of a schema as a type: `SOCIAL_ADS_day` is `SocialAdsDay`.
 * @param {string} name
 */
export function typeName(name) {
  if (!name.includes('_')) return name;
  return name
    .split('_')
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`)
    .join('');
}

/**
 * A JSON Schema as a TypeScript type.
 * @param {JsonSchema} schema
 * @param {Direction} direction
 * @returns {string}
 * @throws {TypeError} for a keyword that it does not know what to do with
 */
export function typeText(schema, direction) {
  if (typeof schema.$ref === 'string') return typeName(schema.$ref.slice(REFERENCE.length));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map((one) => JSON.stringify(one)));
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) {
    return unionOf(variants.map((/** @type {JsonSchema} */ one) => typeText(one, direction)));
  }
  if (Array.isArray(schema.type)) {
    return unionOf(schema.type.map((type) => typeText({ ...schema, type }, direction)));
  }
  if (schema.type === 'array') return `Array<${typeText(schema.items ?? {}, direction)}>`;
  if (schema.type === 'object') return objectText(schema, direction);
  if (schema.type === undefined) return 'unknown';
  const plain = PLAIN_TYPES.get(schema.type);
  if (plain === undefined) throw new TypeError(`No type for ${JSON.stringify(schema)}`);
  return plain;
}

/**
 * @param {JsonSchema} schema
 * @param {Direction} direction
 */
function objectText({ properties, required = [], propertyNames, additionalProperties }, direction) {
  if (properties) {
    if (additionalProperties) throw new TypeError('An object has names and any others');
    const fields = Object.entries(properties).map(([name, field]) =>
      fieldText(name, typeText(field, direction), required.includes(name), direction),
    );
    return `{ ${fields.join('; ')} }`;
  }
  const keys = propertyNames ? typeText(propertyNames, direction) : 'string';
  const record = `Record<${keys}, ${typeText(additionalProperties || {}, direction)}>`;
  return keys === 'string' || required.length > 0 ? record : `Partial<${record}>`;
}

/**
 * @param {string} name
 * @param {string} type
 * @param {boolean} isRequired
 * @param {Direction} direction
 */
export function fieldText(name, type, isRequired, direction) {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
  if (isRequired) return `${key}: ${type}`;
  return `${key}?: ${direction === 'written' ? unionOf([type, 'undefined']) : type}`;
}

/** @param {readonly string[]} types */
function unionOf(types) {
  return [...new Set(types)].join(' | ');
}
