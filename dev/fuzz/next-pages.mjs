// @ts-check
import { bytesOf, finish } from './requests.mjs';

/** @typedef {ReadonlyMap<string, readonly [string, string][]>} NextPages the query of a second page, by operation */

const TRIES = 30;

/**
 * Asks every list for a page of one, until it says where the next one is.
 * @param {object} options
 * @param {import('./document.mjs').Api} options.api
 * @param {(operation: import('./document.mjs').Operation, attempt: number) => import('./requests.mjs').Draft} options.draftOf
 * @param {import('./connection.mjs').Connection} options.connection
 * @param {Parameters<typeof bytesOf>[1]} options.target
 * @returns {Promise<NextPages>}
 */
export async function findNextPages({ api, draftOf, connection, target }) {
  /** @type {Map<string, [string, string][]>} */
  const pages = new Map();
  const lists = api.operations.filter(({ parameters }) =>
    parameters.some(({ name }) => name === 'cursor'),
  );
  for (const operation of lists) {
    for (let attempt = 0; attempt < TRIES && !pages.has(operation.name); attempt += 1) {
      const draft = draftOf(operation, attempt);
      draft.query = draft.query.filter(([name]) => name !== 'cursor' && name !== 'limit');
      draft.query.push(['limit', '1']);
      const request = finish(draft, { index: attempt, kind: 'valid', what: '' });
      const { status, headers, body } = await connection.ask(bytesOf(request, target), false);
      const link = headers.find(([name]) => name === 'link')?.[1];
      const cursor = status === 200 ? cursorOf(link, body) : undefined;
      if (cursor !== undefined) pages.set(operation.name, [...draft.query, ['cursor', cursor]]);
    }
  }
  return pages;
}

/**
 * @param {string | undefined} link
 * @param {Buffer} body
 * @returns {string | undefined}
 */
function cursorOf(link, body) {
  const query = /<[^>?]*\?([^>]*)>; rel="next"/.exec(link ?? '')?.[1];
  if (query !== undefined) return new URLSearchParams(query).get('cursor') ?? undefined;
  const { cursor } = JSON.parse(body.toString());
  return typeof cursor === 'string' ? cursor : undefined;
}
