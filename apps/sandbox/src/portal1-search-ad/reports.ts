import type { AdsFacts } from '../world/ads-facts.ts';
import type { AdsAccount } from '../world/ads-tree.ts';
import { addDays, daysBetween, HOUR_MS, isDate } from '../world/days.ts';
import { hash } from '../world/random.ts';
import { badParameter, coded, notFound, notReady, outOfPeriod } from './api-error.ts';
import { fileOf, REPORT_KINDS } from './report-files.ts';

/** One day's file in the making. */
export interface Job {
  id: number;
  account: AdsAccount;
  type: string;
  date: string;
  /** Sandbox clock at its creation: the figures are those of that moment. */
  at: number;
  /** Real time of its creation: it moves on with polls or by itself, also while the clock stands still. */
  bornMs: number;
  polls: number;
  failed: boolean;
}

export interface Reports {
  create(account: AdsAccount, body: string): Job;
  find(account: AdsAccount, id: string): Job;
  list(account: AdsAccount): Job[];
  remove(account: AdsAccount, id?: string): void;
  /** The job as the platform tells it; a poll moves it on. */
  told(job: Job, baseUrl: string): Record<string, unknown>;
  poll(job: Job): void;
  /** The file of the job that a download's token belongs to. */
  download(account: AdsAccount, token: string): string;
}

const JOBS_MAX = 100;
const KEPT_MS = 14 * 24 * HOUR_MS;
const STEP_MS = 200;
const STEPS = ['REGIST', 'WAITING', 'RUNNING'] as const;
/** Yesterday's files can be had from this hour on. */
const READY_HOUR = 4;
const RESTATED_DAYS = 3;

interface ReportsDeps {
  facts: AdsFacts;
  now(): number;
  realNow?: () => number;
}

/** Keeps the newest 100 jobs of each customer; ids go on from the clock, so that no restart repeats one. */
export function createReports({ facts, now, realNow = Date.now }: ReportsDeps): Reports {
  let jobs: Job[] = [];
  let last = realNow();

  const ofAccount = (account: AdsAccount) =>
    jobs.filter((job) => job.account === account && now() - job.at <= KEPT_MS);

  const textOf = (job: Job) => {
    const kind = REPORT_KINDS[job.type];
    if (kind === undefined) throw notFound();
    return fileOf(kind, facts, job);
  };

  const statusOf = (job: Job): string => {
    const step = Math.max(job.polls, Math.floor((realNow() - job.bornMs) / STEP_MS));
    const unfinished = STEPS[step];
    if (unfinished !== undefined) return unfinished;
    if (job.failed) return 'ERROR';
    const text = textOf(job);
    if (text === '') return 'NONE';
    const hours = Math.floor(now() / HOUR_MS) - Math.floor(job.at / HOUR_MS);
    const isRestated = daysBetween(job.date, job.account.zone.dateAt(now())) <= RESTATED_DAYS;
    const isChanged = hours > 0 && isRestated && textOf({ ...job, at: now() }) !== text;
    return isChanged ? 'CHANGED' : 'BUILT';
  };

  const find: Reports['find'] = (account, id) => {
    const job = ofAccount(account).find((one) => String(one.id) === id);
    if (job === undefined) throw notFound();
    return job;
  };

  return {
    find,
    create(account, body) {
      const { type, date } = questionOf(body);
      checkPeriod(account, type, date, now());
      last += 1;
      const job = {
        id: last,
        account,
        type,
        date,
        at: now(),
        bornMs: realNow(),
        polls: 0,
        failed: false,
      };
      jobs.push(job);
      const [oldest, ...kept] = ofAccount(account);
      if (kept.length >= JOBS_MAX) jobs = jobs.filter((one) => one !== oldest);
      return job;
    },
    list: (account) => ofAccount(account).toReversed(),
    remove(account, id) {
      const job = id === undefined ? undefined : find(account, id);
      jobs = jobs.filter((one) => (id === undefined ? one.account !== account : one !== job));
    },
    poll(job) {
      job.polls += 1;
    },
    told(job, baseUrl) {
      const status = statusOf(job);
      const url = `${baseUrl}/report-download?authtoken=${tokenOf(job)}&fileVersion=v2`;
      return {
        reportJobId: job.id,
        statDt: new Date(job.account.zone.day(job.date).startMs).toISOString(),
        updateTm: new Date(now()).toISOString(),
        reportTp: job.type,
        status,
        downloadUrl: status === 'BUILT' ? url : '',
        regTm: new Date(job.at).toISOString(),
        loginId: 'sandbox',
      };
    },
    download(account, token) {
      const job = ofAccount(account).find((one) => tokenOf(one) === token);
      if (job === undefined || statusOf(job) !== 'BUILT') throw notFound();
      return textOf(job);
    },
  };
}

function tokenOf({ id, type }: Job): string {
  return `t${hash(`token/${id}/${type}`).toString(36)}${id}`;
}

function questionOf(body: string): { type: string; date: string } {
  let asked: { reportTp?: unknown; statDt?: unknown };
  try {
    asked = JSON.parse(body);
  } catch {
    throw badParameter('body');
  }
  const type = String(asked?.reportTp);
  if (!(type in REPORT_KINDS)) throw badParameter('reportTp');
  const digits = String(asked.statDt).slice(0, 10).replaceAll('-', '');
  const date = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
  if (!isDate(date)) throw badParameter('statDt');
  return { type, date };
}

/** Today is never told; yesterday only when the night's work is done. */
function checkPeriod(account: AdsAccount, type: string, date: string, now: number): void {
  const { zone } = account;
  const today = zone.dateAt(now);
  const days = REPORT_KINDS[type]?.days ?? 0;
  const age = daysBetween(date, today);
  if (age < 1 || age > days) throw outOfPeriod();
  const readyMs = zone.day(addDays(date, 1)).startMs + READY_HOUR * HOUR_MS;
  if (now < readyMs) throw notReady();
}

/** What a download without the version of its address gets. */
export const downloadFailed = () => coded(500, 500, 'Internal Server Error');
