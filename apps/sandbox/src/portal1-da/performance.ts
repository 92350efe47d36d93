import { type Call, type CallNote, json, type Reply } from '../http/call.ts';
import { HOUR_MS } from '../world/days.ts';
import type { DisplayWorld } from '../world/display.ts';
import { Lru } from '../world/lru.ts';
import type { Members } from './members.ts';
import { pageToken, readPageToken } from './page-token.ts';
import {
  type Aggregation,
  checkDates,
  type PerformanceQuery,
  readPerformanceQuery,
} from './performance-query.ts';
import { performanceRows } from './performance-rows.ts';

interface PerformanceDeps {
  world: DisplayWorld;
  members: Members;
  now: () => number;
}

/** Answers `/adAccounts/{no}/performance/past/{aggregation}`. */
export function createPerformance({ world, members, now }: PerformanceDeps) {
  const known = new Lru<Record<string, unknown>[]>(16);
  const rowsOf = ({ limit: _limit, ...query }: PerformanceQuery, at: number) => {
    // Figures change at whole hours only.
    const key = JSON.stringify([query, Math.floor(at / HOUR_MS)]);
    const rows = known.get(key) ?? performanceRows(world, query, at);
    known.set(key, rows);
    return rows;
  };
  return (call: Call, note: CallNote, no: string, aggregation: Aggregation): Reply => {
    note.kind = 'insights';
    note.account = no;
    note.level = aggregation;
    note.since = call.query.get('startDate');
    note.until = call.query.get('endDate');
    if (call.query.get('timeUnit') === 'hourly') note.breakdowns = ['hour'];
    const account = members.checkAccess(call, no, 'STATS__UNAUTHORIZED_EXCEPTION');
    const query = readPerformanceQuery(call.query, { account: account.id, aggregation });
    checkDates(query, account.zone, now());
    const next = call.query.get('next');
    const first = { ...query, offset: 0, at: now(), issuedAt: now() };
    const place = next === null ? first : readPageToken(next, query, now());
    const rows = rowsOf(query, place.at);
    const offset = place.offset + query.limit;
    const page = rows.slice(place.offset, offset);
    const following =
      offset < rows.length ? pageToken({ ...place, offset, issuedAt: now() }) : undefined;
    return json(200, { rows: page, ...(following !== undefined && { next: following }) });
  };
}
