// @ts-check
import { eachDay, microsFromDecimal } from '@tributary/shared';
import { z } from 'zod';
import { createAgent } from '../../../packages/connectors/dist/http/agent.js';
import { createHttpClient } from '../../../packages/connectors/dist/http/http-client.js';
import { parseJson } from '../../../packages/connectors/dist/http/parse-json.js';

/** @typedef {import('@tributary/shared').ObservationRow} ObservationRow */

const IdSchema = z.object({ id: z.string() });
const RowSchema = z.object({
  campaign: IdSchema,
  adGroup: IdSchema,
  ad: IdSchema,
  segments: z.object({ value: z.string() }),
  metrics: z.object({
    impressions: z.string(),
    clicks: z.string(),
    costMicros: z.string(),
    conversions: z.number(),
    conversionsValue: z.number(),
  }),
});
const NodeSchema = z.object({ id: z.string(), parent: z.string(), name: z.string() });
/** @template {z.ZodType} T @param {T} item */
const pageOf = (item) => z.object({ results: z.array(item), nextPage: z.int().nullable() });
const RowsSchema = pageOf(RowSchema);
const TreeSchema = pageOf(NodeSchema);

export const accountId = '1234567890';

/**
 * Reads the generated account page by page with the HTTP client and the parsing that connectors use.
 * @param {string} baseUrl
 * @returns {import('@tributary/connectors').Connector}
 */
export function createSizeConnector(baseUrl) {
  const http = createHttpClient({ dispatcher: createAgent() });
  /**
   * @template T
   * @param {string} path
   * @param {z.ZodType<{ results: T[], nextPage: number | null }>} schema
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<T[]>}
   */
  async function* pages(path, schema, signal) {
    for (let page = /** @type {number | null} */ (0); page !== null; ) {
      const url = new URL(`${path}&page=${page}`, baseUrl);
      const { results, nextPage } = parseJson(
        await http.send({ method: 'GET', url, signal }),
        schema,
      );
      yield results;
      page = nextPage;
    }
  }
  return {
    type: 'SEARCH_ENGINE_ADS',
    CredentialsSchema: z.unknown(),
    SettingsSchema: z.unknown(),
    async listAccounts() {
      const zone = 'Asia/Seoul';
      return [{ id: accountId, title: 'Large', zone, currency: 'KRW', status: 'active' }];
    },
    async *listEntities({ signal }) {
      for (const level of /** @type {const} */ (['c', 'g', 'd'])) {
        for await (const nodes of pages(`/tree?level=${level}`, TreeSchema, signal)) {
          yield nodes.map(({ id, parent, name: title }) => {
            const status = /** @type {const} */ ('active');
            return { level, id, parent: parent || accountId, title, status };
          });
        }
      }
    },
    async *collect({ source, from, to, signal }) {
      const set = source.fills[0]?.from;
      if (!set) throw new TypeError(`Source '${source.id}' fills nothing`);
      for (const day of eachDay(from, to)) {
        const path = `/rows?source=${source.id}&day=${day}`;
        for await (const rows of pages(path, RowsSchema, signal)) {
          yield [{ day, set, rows: rows.map(observationOf) }];
        }
      }
    },
  };
}

/**
 * @param {z.output<typeof RowSchema>} row
 * @returns {ObservationRow}
 */
function observationOf({ campaign, adGroup, ad, segments, metrics }) {
  return [
    campaign.id,
    adGroup.id,
    ad.id,
    segments.value,
    Number(metrics.impressions),
    Number(metrics.clicks),
    microsFromDecimal(metrics.conversions),
    microsFromDecimal(metrics.conversionsValue),
    Number(metrics.costMicros),
    null,
    null,
  ];
}
