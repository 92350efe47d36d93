import { FatalError } from '@tributary/runtime';
import type { z } from 'zod';
import type { Portal2Client } from '../portal2/client.ts';

export interface ListCall {
  /** `adGroups` */
  path: string;
  params: Record<string, string>;
  account: string;
}

/**
 * A list with what was removed: without `config` the platform tells what is on or off, with `DEL` the rest. Its
 * documentation names the parameter but not its words: a refusal of `DEL` means that it does not tell, and what comes twice
 * is that of the first answer.
 */
export async function wholeList<T extends { id: string }>(
  client: Portal2Client,
  { params, ...call }: ListCall,
  schema: z.ZodType<T[]>,
): Promise<T[]> {
  const present = await client.call({ ...call, params, family: 'lists' }, schema);
  const removed = await asFarAsTold(
    client.call({ ...call, params: { ...params, config: 'DEL' }, family: 'lists' }, schema),
  );
  const known = new Set(present.map(({ id }) => id));
  return [...present, ...(removed ?? []).filter(({ id }) => !known.has(id))];
}

/** What the platform answers, or undefined when it refuses such a question for good. */
export async function asFarAsTold<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    const isRefused =
      error instanceof FatalError && ['bad_request', 'object_missing'].includes(error.code);
    if (!isRefused) throw error;
    return undefined;
  }
}
