import type { CallNote, Reply } from '../http/call.ts';
import { json } from '../http/call.ts';
import { HOUR_MS } from '../world/days.ts';
import { Lru } from '../world/lru.ts';
import type { SocialFacts } from '../world/social-facts.ts';
import type { SocialAccount, SocialEntity } from '../world/social-tree.ts';
import { readBreakdown } from './breakdowns.ts';
import { GraphError, unknownObject } from './graph-error.ts';
import { estimateRows, type InsightQuery, readInsightQuery } from './insight-query.ts';
import { computeRows, type InsightRow } from './insight-rows.ts';
import { cutPage, pageJson } from './paging.ts';
import { listParam, type Params } from './params.ts';
import { rowJson } from './row-json.ts';
import type { Run, Runs } from './runs.ts';

/** Estimated rows above which a synchronous call is refused. */
const SYNC_ROWS_MAX = 20_000;
/** Parameters that choose a page or a caller, not a result. */
const NOT_PART_OF_THE_QUESTION = ['access_token', 'appsecret_proof', 'after', 'before', 'limit'];

export interface InsightDeps {
  facts: SocialFacts;
  runs: Runs;
  now: () => number;
}

export interface InsightTarget {
  account: SocialAccount;
  node: SocialEntity | undefined;
}

export interface Insights {
  /** `GET /<node>/insights`. */
  read(params: Params, target: InsightTarget, note: CallNote, url: string): Reply;
  /** `POST /act_<id>/insights`. */
  createRun(params: Params, target: InsightTarget, note: CallNote): Reply;
  /** `GET /<run id>`. */
  pollRun(run: Run, params: Params, note: CallNote): Reply;
  /** `GET /<run id>/insights`. */
  readRun(run: Run, params: Params, note: CallNote, url: string): Reply;
}

function refuseTooMuch(query: InsightQuery): void {
  if (estimateRows(query) <= SYNC_ROWS_MAX) return;
  const isLow = query.level === 'ad' || query.level === 'adset';
  throw new GraphError(
    isLow
      ? {
          code: 100,
          subcode: 1504018,
          message:
            '(#100) Please reduce the amount of data you are asking for, or run an asynchronous report',
        }
      : {
          status: 500,
          code: 1,
          message: "Please reduce the amount of data you're asking for, then retry your request",
        },
  );
}

function describe(query: InsightQuery, note: CallNote): void {
  note.account = query.account.id;
  note.level = query.level;
  note.breakdowns = query.breakdown.keys;
  note.since = query.since;
  note.until = query.until;
}

const FAILED = {
  error_code: 2,
  error_subcode: 1504043,
  error_message: 'The report could not be made. Please try again.',
  error_user_title: 'Report failed',
  error_user_msg: 'Your report could not be made. Please try again.',
};

export function createInsights(deps: InsightDeps): Insights {
  const { facts, runs, now } = deps;
  const lists = new Lru<InsightRow[]>(16);

  const question = (params: Params, target: InsightTarget, note: CallNote): InsightQuery => {
    const breakdown = readBreakdown(
      listParam(params, 'breakdowns'),
      facts.segments(target.account),
    );
    const today = target.account.zone.dateAt(now());
    const query = readInsightQuery(params, { ...target, breakdown }, today);
    describe(query, note);
    return query;
  };

  const rowsOf = (key: string, query: InsightQuery, at: number): InsightRow[] => {
    // Figures stand still within an hour of the clock, so pages of one list are cut from one computation.
    const hourly = `${key}/${Math.floor(at / HOUR_MS)}`;
    const rows = lists.get(hourly) ?? computeRows(query, facts, at);
    lists.set(hourly, rows);
    return rows;
  };

  const sendPage = (
    key: string,
    query: InsightQuery,
    at: number,
    params: Params,
    url: string,
  ): Reply => {
    const page = cutPage(rowsOf(key, query, at), key, params);
    const items = page.items.map((row) => rowJson(query, row, facts));
    return json(200, pageJson({ ...page, items }, url, params));
  };

  return {
    read(params, target, note, url) {
      note.kind = 'insights';
      note.account = target.account.id;
      const query = question(params, target, note);
      refuseTooMuch(query);
      const asked = [...params]
        .filter(([name]) => !NOT_PART_OF_THE_QUESTION.includes(name))
        .map(([name, value]) => `${name}=${value}`)
        .toSorted()
        .join('&');
      const key = `${target.node?.id ?? target.account.id}?${asked}`;
      return sendPage(key, query, now(), params, url);
    },
    createRun(params, target, note) {
      note.kind = 'report-create';
      note.account = target.account.id;
      return json(200, { report_run_id: runs.create(question(params, target, note), now()).id });
    },
    pollRun(run, params, note) {
      note.kind = 'report-poll';
      describe(run.query, note);
      const state = runs.poll(run);
      if (state === 'invisible') throw unknownObject('GET', run.id);
      const whole: Record<string, unknown> = {
        id: run.id,
        account_id: run.query.account.id,
        time_ref: Math.floor(run.at / 1000),
        async_status: state.status,
        async_percent_completion: state.percent,
        date_start: run.query.since,
        date_stop: run.query.until,
        ...(state.status === 'Job Failed' ? FAILED : {}),
      };
      const fields = listParam(params, 'fields');
      const sent = Object.entries(whole).filter(
        ([name]) => name === 'id' || fields.length === 0 || fields.includes(name),
      );
      return json(200, Object.fromEntries(sent));
    },
    readRun(run, params, note, url) {
      note.kind = 'report-page';
      describe(run.query, note);
      if (!runs.isDone(run)) {
        throw new GraphError({
          code: 2601,
          message: '(#2601) Error loading async session: the job is not complete',
        });
      }
      return sendPage(run.id, run.query, run.at, params, url);
    },
  };
}
