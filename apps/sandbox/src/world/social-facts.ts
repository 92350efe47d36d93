import { HOUR_MS } from './days.ts';
import { Lru } from './lru.ts';
import { fraction } from './random.ts';
import { makeFact } from './social-fact.ts';
import {
  type AdDay,
  CLICKS,
  type Fact,
  METRIC_COUNT,
  NO_HOUR,
  RESTATED_DAYS,
  SPEND,
} from './social-figures.ts';
import { SEGMENT_GROUPS, type Segment, type SegmentGroup, segmentsOf } from './social-segments.ts';
import type { SocialAccount, SocialEntity } from './social-tree.ts';
import { share } from './split.ts';

const GROUPS = [...SEGMENT_GROUPS, 'hour'] as const;

/** The advertising of the social channel as it truly happened; every figure is a function of (seed, ad, day, now). */
export interface SocialFacts {
  segments(account: SocialAccount): Record<SegmentGroup, Segment[]>;
  /** undefined where the ad has nothing to report for that day (yet). */
  adDay(ad: SocialEntity, date: string, nowMs: number): AdDay | undefined;
  /** People reached: belongs to exactly this entity, range and cell and never adds up. */
  reach(entityId: string, since: string, until: string, cell: string, impressions: number): number;
}

function add(to: Int32Array, cell: number, metric: number, amount: number): void {
  const at = cell * METRIC_COUNT + metric;
  to[at] = (to[at] ?? 0) + amount;
}

function emptyCells(count: number): Int32Array {
  return new Int32Array(count * METRIC_COUNT);
}

function emptyDay(fact: Fact): AdDay {
  const { demo, geo, place } = fact.weights;
  return {
    total: emptyCells(1),
    cells: {
      demo: emptyCells(demo.length),
      geo: emptyCells(geo.length),
      place: emptyCells(place.length),
      hour: emptyCells(NO_HOUR + 1),
    },
    purchases: [],
  };
}

/** The part of a fact that is reported after `atHour` hours: the hours that are over, and the events that came in. */
function resolve(fact: Fact, atHour: number): AdDay {
  const day = emptyDay(fact);
  for (let slot = 0; slot < Math.min(atHour, fact.hours.length); slot += 1) {
    for (let m = 0; m < METRIC_COUNT; m += 1) {
      const amount = fact.slots[slot * METRIC_COUNT + m] ?? 0;
      add(day.total, 0, m, amount);
      add(day.cells.hour, fact.hours[slot] ?? 0, m, amount);
    }
  }
  for (const group of SEGMENT_GROUPS) {
    const weights = fact.weights[group];
    for (let m = 0; m < METRIC_COUNT; m += 1) {
      const total = day.total[m] ?? 0;
      for (let cell = 0; cell < weights.length; cell += 1) {
        add(day.cells[group], cell, m, share(total, weights, cell));
      }
    }
  }
  for (const event of fact.events) {
    if (event.atHour > atHour) continue;
    if (event.purchase !== undefined) day.purchases.push(event);
    add(day.total, 0, CLICKS, event.clicks);
    add(day.total, 0, SPEND, event.spend);
    for (const group of GROUPS) {
      add(day.cells[group], event.cell[group], CLICKS, event.clicks);
      add(day.cells[group], event.cell[group], SPEND, event.spend);
    }
  }
  return day;
}

/** Computes ad days and keeps the 20,000 used last (about 4 KB each). */
export function createSocialFacts(seed: string): SocialFacts {
  const known = new Lru<{ fact: Fact | undefined; resolved?: { atHour: number; day: AdDay } }>(
    20_000,
  );
  const byHome = { KRW: segmentsOf('KRW'), USD: segmentsOf('USD') };
  const segments = (account: SocialAccount): Record<SegmentGroup, Segment[]> =>
    byHome[account.currency === 'KRW' ? 'KRW' : 'USD'];
  return {
    segments,
    adDay(ad, date, nowMs) {
      if (ad.createdOn > date) return undefined;
      const key = `${ad.id}/${date}`;
      const entry = known.get(key) ?? { fact: makeFact(ad, date, seed, segments(ad.account)) };
      known.set(key, entry);
      const { fact } = entry;
      if (fact === undefined) return undefined;
      const elapsed = Math.floor((nowMs - ad.account.zone.day(date).startMs) / HOUR_MS);
      // Past the restatement all moments are alike, so they share one resolved day.
      const atHour = Math.min(elapsed, fact.hours.length + RESTATED_DAYS * 24);
      if (atHour <= 0) return undefined;
      if (entry.resolved?.atHour !== atHour)
        entry.resolved = { atHour, day: resolve(fact, atHour) };
      const { day } = entry.resolved;
      return day.total.some((figure) => figure > 0) || day.purchases.length > 0 ? day : undefined;
    },
    reach(entityId, since, until, cell, impressions) {
      if (impressions === 0) return 0;
      const frequency = 1 + 0.9 * fraction(`${seed}/reach/${entityId}/${since}/${until}/${cell}`);
      return Math.max(1, Math.floor(impressions / frequency));
    },
  };
}
