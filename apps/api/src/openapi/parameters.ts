import type { z } from 'zod';
import type { Components } from './json-schema.ts';

/** What each parameter means, in the words that clients read. */
const WORDS: Readonly<Record<string, string>> = {
  id: 'Id of the linked data record',
  value: "The platform's id of the ad account, campaign, ad group or ad",
  start: 'First day, YYYY-MM-DD, in the time zone of the account',
  end: 'Last day, YYYY-MM-DD; at most 400 days from `start`',
  key: 'Tag key of the comment',
  idx: 'Number of the comment',
  tag: 'Advertiser tag',
  title: 'Name of the record',
  level: 'Level of the entities',
  parent: 'Id one level up',
  limit: 'Entries of a page, 1 to 500',
  cursor: 'Where a page begins: from the answer before, to the same question',
  run: 'Id of the refresh run',
};

const EXAMPLES: Readonly<Record<string, string>> = {
  id: 'k3v9x2m7q5t8w4za',
  value: '120210987654321987',
  start: '2026-11-01',
  end: '2026-11-30',
};

/**
 * The parameters of a query or path schema.
 *
 * @throws TypeError for a parameter without words
 */
export function parametersOf(components: Components, schema: z.ZodType, place: 'query' | 'path') {
  const { properties = {}, required = [] } = components.schemaOf(schema, 'input') as {
    properties?: Record<string, object>;
    required?: string[];
  }; // queries and paths are objects
  return Object.entries(properties).map(([name, field]) => {
    const description = WORDS[name];
    if (description === undefined) throw new TypeError(`The parameter '${name}' has no words`);
    const example = EXAMPLES[name];
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description,
      schema: field,
      ...(example !== undefined && { example }),
    };
  });
}
