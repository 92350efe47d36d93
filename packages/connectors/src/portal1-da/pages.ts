import { RetryableError } from '@tributary/runtime';
import type { z } from 'zod';
import type { Portal1DaCall, Portal1DaClient } from './client.ts';
import { providerPageSchema } from './schema.ts';

const PAGE_ROWS = 100;
const PAGES_MAX = 2_000;

/**
 * A numbered list, page by page.
 *
 * @throws RetryableError `repeated_page` for a page that comes again, `list_changed` when rows came or went meanwhile:
 * then one may have slipped from a page that was not read to one that was
 */
export async function* listPages<T extends { no: string }>(
  client: Portal1DaClient,
  call: Portal1DaCall,
  row: z.ZodType<T>,
): AsyncGenerator<T[]> {
  const schema = providerPageSchema(row);
  const seen = new Set<string>();
  let total: number | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const params = { ...call.params, page: String(page), size: String(PAGE_ROWS) };
    const answer = await client.call({ ...call, params }, schema);
    const rows = answer.content ?? answer.contents ?? [];
    for (const { no } of rows) {
      if (seen.has(no)) throw repeated(call, `tells number ${no} again`);
      seen.add(no);
    }
    total ??= answer.totalElements;
    if (answer.totalElements !== total) throw changed(call, total, answer.totalElements);
    yield rows;
    if (answer.last) {
      if (seen.size !== total) throw changed(call, total, seen.size);
      return;
    }
    if (rows.length === 0) throw repeated(call, 'has an empty page that is not the last');
  }
  throw repeated(call, `has more than ${PAGES_MAX} pages`);
}

function repeated({ path }: Pick<Portal1DaCall, 'path'>, what: string): RetryableError {
  return new RetryableError('repeated_page', `The list ${path} ${what}: nothing of it is used`);
}

function changed({ path }: Pick<Portal1DaCall, 'path'>, was: number, is: number): RetryableError {
  const text = `The list ${path} changed while it was read, from ${was} to ${is} rows`;
  return new RetryableError('list_changed', text);
}
