import type { Call } from '../http/call.ts';
import { hash } from '../world/random.ts';
import { invalid } from './failure.ts';

/** Where a page begins, and the moment whose figures its query tells. */
export interface PagePlace {
  offset: number;
  at: number;
}

/** The token of a page belongs to its query and account. */
export function tokenOf({ offset, at }: PagePlace, question: string): string {
  return Buffer.from(`${offset}.${at}.${hash(question)}`).toString('base64url');
}

export function placeOf(token: string | undefined, question: string, now: number): PagePlace {
  if (token === undefined || token === '') return { offset: 0, at: now };
  const found = /^(\d+)\.(\d+)\.\d+$/.exec(Buffer.from(token, 'base64url').toString());
  const place = { offset: Number(found?.[1]), at: Number(found?.[2]) };
  if (found && tokenOf(place, question) === token) return place;
  throw invalid({ requestError: 'INVALID_PAGE_TOKEN' }, 'The page token is invalid.');
}

/** What is asked, whatever the version and the method that asks it. */
export function questionOf({ path }: Call, query: string): string {
  return `${path.replace(/^\/v\d+/, '').replace(/:\w+$/, '')} ${query}`;
}
