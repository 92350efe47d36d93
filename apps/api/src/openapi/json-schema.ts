import { z } from 'zod';

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const PREFIX = '#/components/schemas/';

/** The schemas of a document that are named once and referred to. */
export interface Components {
  /** The schema of what is sent in or out; named parts of it become references. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema;
  /** All named schemas met so far. */
  schemas(): Record<string, JsonSchema>;
}

/** Translates zod schemas. One with the metadata `id` is named: it is told once for the whole document. */
export function createComponents(): Components {
  const named = new Map<string, JsonSchema>();
  return {
    schemaOf(schema, io) {
      const {
        $schema: _,
        $defs = {},
        ...own
      } = z.toJSONSchema(schema, {
        io,
        unrepresentable: 'any',
      });
      for (const [id, part] of Object.entries($defs)) named.set(id, rewritten(part));
      if (typeof own.id !== 'string') return rewritten(own);
      named.set(own.id, rewritten(own));
      return { $ref: `${PREFIX}${own.id}` };
    },
    schemas: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** References point into the document, and a named schema needs no `id` of its own. */
function rewritten(schema: unknown): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') {
      return value.replace('#/$defs/', PREFIX);
    }
    if (key === 'id' && typeof value === 'string') return undefined;
    return value;
  }) as JsonSchema; // made from an object
}
