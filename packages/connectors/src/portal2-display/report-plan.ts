import { addDays, type Day, type Level } from '@tributary/shared';
import type { Placed } from './entities.ts';

/** One of the platform's reports. */
export interface ReportKind {
  path: string;
  idParameter: string;
  idsMax: number;
  family: 'reports' | 'adGroupReports';
  /** What the platform demands between two calls, and a little more. */
  pauseMs: number;
  idOf(object: Placed): string;
}

const SLOW = { family: 'reports', pauseMs: 5_100 } as const;
const REPORTS: Readonly<Record<Exclude<Level, 'a'>, ReportKind>> = {
  c: {
    path: 'campaigns/report',
    idParameter: 'campaignId',
    idsMax: 5,
    ...SLOW,
    idOf: (object) => object.campaign,
  },
  g: {
    path: 'adGroups/report',
    idParameter: 'adGroupId',
    idsMax: 40,
    family: 'adGroupReports',
    pauseMs: 1_050,
    idOf: (object) => object.adGroup,
  },
  d: {
    path: 'creatives/report',
    idParameter: 'creativeId',
    idsMax: 100,
    ...SLOW,
    idOf: (object) => object.ad,
  },
};

/** A level's report; the one on an account names the account as its one object. */
export function reportOf(level: Level, account: string): ReportKind {
  if (level !== 'a') return REPORTS[level];
  return {
    path: 'adAccounts/report',
    idParameter: 'adAccountId',
    idsMax: 1,
    ...SLOW,
    idOf: () => account,
  };
}

/** The objects of each call. */
export function batchesOf(objects: readonly Placed[], size: number): (readonly Placed[])[] {
  return Array.from({ length: Math.ceil(objects.length / size) }, (_, index) =>
    objects.slice(index * size, (index + 1) * size),
  );
}

/** The days of a call. */
export interface Period {
  from: Day;
  to: Day;
  isToday: boolean;
}

/** Days by their dates, and today by itself: the platform takes no range that includes it. */
export function periodsOf({ from, to }: { from: Day; to: Day }, today: Day): Period[] {
  const yesterday = addDays(today, -1);
  const past = { from, to: to < today ? to : yesterday, isToday: false };
  return [
    ...(past.from <= past.to ? [past] : []),
    ...(from <= today && today <= to ? [{ from: today, to: today, isToday: true }] : []),
  ];
}
