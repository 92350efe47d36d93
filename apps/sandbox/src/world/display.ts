import { FEED_ZONE, toldDates, toldShare } from './blog.ts';
import { createZone } from './days.ts';
import { createRandom, hash, whole } from './random.ts';
import { cumulate, share } from './split.ts';

/** One row of the observations feed; money in whole won. */
export interface Observation {
  date: string;
  level: string;
  entityId: string;
  dimension?: string;
  value?: string;
  impressions: number;
  clicks: number;
  spend: number;
  conversions: number;
  amount: number;
}

const METRICS = ['impressions', 'clicks', 'spend', 'conversions', 'amount'] as const;

/** Values of each list with their weights; what is left of 100 is not attributed. */
const DIMENSIONS: Record<string, Record<string, number>> = {
  age: { '18-24': 14, '25-34': 31, '35-44': 25, '45-54': 17, '55-64': 7, unknown: 4 },
  gender: { female: 52, male: 43, unknown: 3 },
  devicePlatform: { 'MOBILE ANDROID': 48, 'MOBILE IOS': 35, PC: 17 },
  publisherGroup: { 네이버: 71, 밴드: 16, 제휴: 13 },
  placementGroup: { 메인: 44, 서브: 30, 동영상: 20 },
};

interface DisplayAd {
  ad: string;
  adGroup: string;
  campaign: string;
  adAccount: string;
}

export interface DisplayWorld {
  account: string;
  /** The told observations of the range: every level, and the lists of all levels but the ads. */
  rows(start: string, end: string, now: number): Observation[];
}

/** A small display account of two campaigns, four ad groups and eight ads. */
export function createDisplay(seed: string): DisplayWorld {
  const zone = createZone(FEED_ZONE);
  const number = (path: string): string =>
    String(1_000_000 + (hash(`${seed}/display/${path}`) % 9_000_000));
  const account = number('account');
  const ads: DisplayAd[] = Array.from({ length: 8 }, (_, i) => ({
    ad: number(`ad/${i}`),
    adGroup: number(`group/${i >> 1}`),
    campaign: number(`campaign/${i >> 2}`),
    adAccount: account,
  }));

  const figuresOf = (ad: string, date: string, told: number): number[] => {
    const random = createRandom(`${seed}/display/${ad}/${date}`);
    if (random() < 0.08) return [0, 0, 0, 0, 0];
    const impressions = whole(random, 400, 6_000);
    const clicks = Math.floor(impressions * (0.002 + 0.01 * random()));
    const conversions = Math.floor(clicks * 0.1 * random());
    const spend = clicks * whole(random, 180, 420);
    return [
      impressions,
      clicks,
      spend,
      conversions,
      conversions * whole(random, 9_000, 60_000),
    ].map((value) => Math.floor(value * told));
  };

  const dayRows = (date: string, today: string): Observation[] => {
    const sums = new Map<string, Observation>();
    const add = (
      head: Pick<Observation, 'date' | 'level' | 'entityId' | 'dimension' | 'value'>,
      figures: number[],
    ): void => {
      if (figures.every((figure) => figure === 0)) return;
      const key = JSON.stringify(head);
      const row = sums.get(key) ?? {
        ...head,
        impressions: 0,
        clicks: 0,
        spend: 0,
        conversions: 0,
        amount: 0,
      };
      for (const [m, name] of METRICS.entries()) row[name] += figures[m] ?? 0;
      sums.set(key, row);
    };
    for (const path of ads) {
      const figures = figuresOf(path.ad, date, toldShare(date, today));
      for (const level of ['adAccount', 'campaign', 'adGroup', 'ad'] as const) {
        const head = { date, level, entityId: path[level] };
        add(head, figures);
        if (level === 'ad') continue;
        for (const [dimension, values] of Object.entries(DIMENSIONS)) {
          const known = Object.values(values);
          const weights = cumulate([
            ...known,
            100 - known.reduce((sum, weight) => sum + weight, 0),
          ]);
          for (const [k, value] of Object.keys(values).entries()) {
            add(
              { ...head, dimension, value },
              figures.map((figure) => share(figure, weights, k)),
            );
          }
        }
      }
    }
    return [...sums.values()];
  };

  return {
    account,
    rows(start, end, now) {
      const today = zone.dateAt(now);
      return toldDates(start, end, today).flatMap((date) => dayRows(date, today));
    },
  };
}
