import type { Question, SearchClient } from './client.ts';
import { ProviderPlaceRowSchema } from './schema.ts';

const KNOWN_MAX = 100_000;
const ASKED_AT_ONCE = 1_000;

/**
 * Names of places by the platform's ids, the same for everybody: asked for once and kept. The full name tells apart what
 * bears the same short one (`Limburg,Netherlands`). A place that the platform no longer knows keeps its id.
 */
export function createPlaces() {
  const known = new Map<string, string>();
  return async (
    client: SearchClient,
    place: Omit<Question, 'query'>,
    ids: Iterable<string>,
  ): Promise<ReadonlyMap<string, string>> => {
    if (known.size > KNOWN_MAX) known.clear();
    const wanted = new Set(ids);
    const unknown = [...wanted].filter((id) => !known.has(id));
    for (let at = 0; at < unknown.length; at += ASKED_AT_ONCE) {
      const asked = unknown.slice(at, at + ASKED_AT_ONCE);
      const found = new Map(asked.map((id) => [id, id]));
      for await (const page of client.pages(questionOf(place, asked), ProviderPlaceRowSchema)) {
        for (const { geoTargetConstant: one } of page) {
          found.set(one.id, one.canonicalName || one.name || one.id);
        }
      }
      for (const [id, name] of found) known.set(id, name);
    }
    return new Map([...wanted].map((id) => [id, known.get(id) ?? id]));
  };
}

function questionOf(place: Omit<Question, 'query'>, ids: readonly string[]): Question {
  const query =
    'SELECT geo_target_constant.id, geo_target_constant.name, geo_target_constant.canonical_name ' +
    `FROM geo_target_constant WHERE geo_target_constant.id IN (${ids.join(', ')})`;
  return { ...place, query };
}
