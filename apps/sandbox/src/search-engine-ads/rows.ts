import type { AdsFacts } from '../world/ads-facts.ts';
import type { AdsAccount } from '../world/ads-tree.ts';
import { createZone } from '../world/days.ts';
import { badResource, checkFields, fieldsOf } from './check-query.ts';
import { dateRange, type Query } from './gaql.ts';
import { groupAtoms, listObjects } from './group-atoms.ts';
import { createPublication, PACIFIC, RESOURCES } from './resources.ts';
import { type SentRow, sendRows } from './send-rows.ts';

export interface Question {
  account: AdsAccount;
  query: Query;
  /** The moment whose figures are told. */
  at: number;
}

/** Answers queries about an account's campaigns and statistics. */
export function createRows(facts: AdsFacts) {
  const isPublished = createPublication(createZone(PACIFIC));
  return ({ account, query, at }: Question): SentRow[] => {
    const resource = RESOURCES[query.from];
    if (!resource) throw badResource(query.from);
    const today = account.zone.dateAt(at);
    const asked = fieldsOf(query);
    checkFields(query, resource, asked);
    const range = dateRange(query, today);
    const rows = isStatistics(asked)
      ? groupAtoms({ facts, account, at, resource, asked, range, isPublished })
      : listObjects(account, resource, today);
    return sendRows(rows, { query, today, asked });
  };
}

function isStatistics(asked: readonly string[]): boolean {
  return asked.some((field) => /^(metrics|segments)\./.test(field));
}
