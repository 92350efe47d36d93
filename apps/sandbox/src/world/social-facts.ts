import { HOUR_MS } from './days.ts';
import { Lru } from './lru.ts';
import { createRandom, fraction, whole } from './random.ts';
import { SEGMENT_GROUPS, type Segment, type SegmentGroup, segmentsOf } from './social-segments.ts';
import { delivers, type SocialAccount, type SocialEntity } from './social-tree.ts';
import { cumulate, pick, share } from './split.ts';

/** Positions of the additive metrics inside a cell. Spend is counted in the currency's minor unit. */
export const IMPRESSIONS = 0;
export const CLICKS = 1;
export const LINK_CLICKS = 2;
export const SPEND = 3;
export const METRIC_COUNT = 4;

/** The cell of the hour list for clicks whose hour the platform does not tell. */
export const NO_HOUR = 24;
/** Figures of a day move until so many days after it have passed in full. */
export const RESTATED_DAYS = 28;

export type AttributionWindow = '1d_click' | '7d_click' | '28d_click' | '1d_view' | '1d_ev';

/** Something that is reported after the fact: a late click with its cost, or a purchase. */
export interface LateEvent {
  /** Whole hours after local midnight of its day at which the platform begins to report it. */
  atHour: number;
  clicks: number;
  spend: number;
  purchase:
    | { place: 'pixel' | 'onsite'; window: AttributionWindow; valueMinor: number }
    | undefined;
  /** Its cell in each group; in `hour` the local hour or `NO_HOUR`. */
  cell: Record<SegmentGroup | 'hour', number>;
}

/** All that is true of one ad on one local day as reported at one moment. */
export interface AdDay {
  total: Int32Array;
  /** `METRIC_COUNT` figures for each cell of the group, in the order of the account's segments. */
  cells: Record<SegmentGroup | 'hour', Int32Array>;
  purchases: LateEvent[];
}

interface Fact {
  /** Figures of each real hour of the day, `METRIC_COUNT` each. */
  slots: Int32Array;
  hours: number[];
  events: LateEvent[];
  /** Cumulated whole weights of each group; they end in the same figure for all cells after the last. */
  weights: Record<SegmentGroup, number[]>;
  resolved?: { atHour: number; adDay: AdDay };
}

const HOUR_SHAPE = [3, 2, 1, 1, 1, 2, 4, 6, 7, 7, 7, 8, 9, 8, 7, 7, 7, 8, 9, 10, 12, 13, 11, 7];

/** The advertising of the social channel as it truly happened; every figure is a function of (seed, ad, day, now). */
export interface SocialFacts {
  segments(account: SocialAccount): Record<SegmentGroup, Segment[]>;
  /** undefined where the ad has nothing to report for that day (yet). */
  adDay(ad: SocialEntity, date: string, nowMs: number): AdDay | undefined;
  /** People reached: belongs to exactly this entity, range and cell and never adds up. */
  reach(entityId: string, since: string, until: string, cell: string, impressions: number): number;
}

export function createSocialFacts(seed: string): SocialFacts {
  const facts = new Lru<Fact | 'none'>(20_000);
  const segmentsByCurrency = { KRW: segmentsOf('KRW'), USD: segmentsOf('USD') };
  const segments = (account: SocialAccount): Record<SegmentGroup, Segment[]> =>
    segmentsByCurrency[account.currency === 'KRW' ? 'KRW' : 'USD'];

  const weigh = (random: () => number, cells: Segment[]): number[] => {
    const gaps = random() < 0.2 ? 0 : 1;
    return cumulate(
      cells.map(({ weight, values }) => {
        const attributed = Object.keys(values).length > 0;
        return Math.round(weight * 100 * (0.6 + 0.8 * random())) * (attributed ? 1 : gaps);
      }),
    );
  };

  const makeEvent = (
    random: () => number,
    fact: Pick<Fact, 'weights' | 'hours'>,
    more: Pick<LateEvent, 'atHour' | 'clicks' | 'spend' | 'purchase'>,
    hour: number,
  ): LateEvent => ({
    ...more,
    cell: {
      demo: pick(random, fact.weights.demo),
      geo: pick(random, fact.weights.geo),
      place: pick(random, fact.weights.place),
      hour,
    },
  });

  const addPurchase = (random: () => number, fact: Fact, minor: number): void => {
    const slot = pick(random, cumulate(fact.hours.map((hour) => HOUR_SHAPE[hour] ?? 1)));
    const kind = random();
    const quick = kind < 0.3;
    const hoursMax = fact.hours.length + RESTATED_DAYS * 24 - slot - 1;
    const lag = quick ? whole(random, 0, 24) : Math.floor(random() ** 3 * (hoursMax + 1));
    const byClick = lag <= 24 ? '1d_click' : lag <= 168 ? '7d_click' : '28d_click';
    const window = kind < 0.2 ? '1d_view' : quick ? '1d_ev' : byClick;
    const place = random() < 0.75 ? 'pixel' : 'onsite';
    const valueMinor = Math.round(minor * (20 + 130 * random()));
    const purchase = { place, window, valueMinor } as const;
    const event = { atHour: slot + 1 + lag, clicks: 0, spend: 0, purchase };
    fact.events.push(makeEvent(random, fact, event, fact.hours[slot] ?? 0));
  };

  const addLateClick = (random: () => number, fact: Fact, cpc: number, hour: number): void => {
    const after = Math.floor(random() ** 2 * RESTATED_DAYS * 24);
    const click = { clicks: 1, spend: Math.round(cpc), purchase: undefined };
    fact.events.push(
      makeEvent(random, fact, { ...click, atHour: fact.hours.length + after }, hour),
    );
  };

  /** A day without delivery on which a click of the day before was booked: in no list, and without an hour. */
  const strayClick = (
    random: () => number,
    fact: Fact,
    cpc: number,
    account: SocialAccount,
  ): void => {
    addLateClick(random, fact, cpc, NO_HOUR);
    for (const event of fact.events) {
      for (const group of SEGMENT_GROUPS) event.cell[group] = segments(account)[group].length - 1;
    }
  };

  const makeFact = (ad: SocialEntity, date: string): Fact | 'none' => {
    const { account } = ad;
    const active = delivers(ad, date, seed);
    const random = createRandom(`${seed}/fact/${ad.id}/${date}`);
    const stray = !active && !ad.draft && ad.createdOn < date && random() < 0.04;
    if (!active && !stray) return 'none';
    const cells = segments(account);
    const { hours } = account.zone.day(date);
    const weights = {
      demo: weigh(random, cells.demo),
      geo: weigh(random, cells.geo),
      place: weigh(random, cells.place),
    };
    const fact: Fact = {
      slots: new Int32Array(hours.length * METRIC_COUNT),
      hours,
      events: [],
      weights,
    };
    // Prices: 1 minor unit of USD (a cent) buys what about 12 won buy.
    const minor = account.minorDigits === 0 ? 1_000 : 80;
    const cpc = minor * (0.25 + 0.6 * fraction(`${seed}/cpc/${ad.id}`));
    if (stray) {
      if (ad.endedOn === undefined) strayClick(random, fact, cpc, account);
      return fact.events.length === 0 ? 'none' : fact;
    }
    const size = 150 * 30 ** fraction(`${seed}/size/${ad.id}`);
    const impressions = Math.round(size * (0.6 + 0.8 * random()));
    const clicks = Math.round(impressions * (0.008 + 0.022 * random()));
    const values = [
      impressions,
      clicks,
      Math.round(clicks * (0.5 + 0.4 * random())),
      Math.round(clicks * cpc),
    ];
    const shape = cumulate(
      hours.map((h) => Math.round((HOUR_SHAPE[h] ?? 1) * 100 * (0.5 + random()))),
    );
    for (let slot = 0; slot < hours.length; slot += 1) {
      for (let m = 0; m < METRIC_COUNT; m += 1) {
        fact.slots[slot * METRIC_COUNT + m] = share(values[m] ?? 0, shape, slot);
      }
    }
    const purchases = Math.floor(clicks * 0.08 * random() + random());
    for (let i = 0; i < purchases; i += 1) addPurchase(random, fact, minor);
    for (let i = whole(random, 0, 3); i > 0; i -= 1) {
      addLateClick(random, fact, cpc, random() < 0.25 ? NO_HOUR : whole(random, 8, 22));
    }
    return fact;
  };

  const resolve = (fact: Fact, atHour: number, account: SocialAccount): AdDay => {
    const adDay: AdDay = {
      total: new Int32Array(METRIC_COUNT),
      cells: {
        demo: new Int32Array(segments(account).demo.length * METRIC_COUNT),
        geo: new Int32Array(segments(account).geo.length * METRIC_COUNT),
        place: new Int32Array(segments(account).place.length * METRIC_COUNT),
        hour: new Int32Array((NO_HOUR + 1) * METRIC_COUNT),
      },
      purchases: [],
    };
    const add = (to: Int32Array, cell: number, metric: number, amount: number): void => {
      const at = cell * METRIC_COUNT + metric;
      to[at] = (to[at] ?? 0) + amount;
    };
    for (let slot = 0; slot < Math.min(atHour, fact.hours.length); slot += 1) {
      for (let m = 0; m < METRIC_COUNT; m += 1) {
        const amount = fact.slots[slot * METRIC_COUNT + m] ?? 0;
        add(adDay.total, 0, m, amount);
        add(adDay.cells.hour, fact.hours[slot] ?? 0, m, amount);
      }
    }
    for (const group of SEGMENT_GROUPS) {
      const cells = adDay.cells[group];
      const weights = fact.weights[group];
      for (let m = 0; m < METRIC_COUNT; m += 1) {
        for (let cell = 0; cell < weights.length; cell += 1) {
          add(cells, cell, m, share(adDay.total[m] ?? 0, weights, cell));
        }
      }
    }
    for (const event of fact.events) {
      if (event.atHour > atHour) continue;
      if (event.purchase !== undefined) adDay.purchases.push(event);
      add(adDay.total, 0, CLICKS, event.clicks);
      add(adDay.total, 0, SPEND, event.spend);
      for (const group of [...SEGMENT_GROUPS, 'hour'] as const) {
        add(adDay.cells[group], event.cell[group], CLICKS, event.clicks);
        add(adDay.cells[group], event.cell[group], SPEND, event.spend);
      }
    }
    return adDay;
  };

  return {
    segments,
    adDay(ad, date, nowMs) {
      if (ad.createdOn > date) return undefined;
      const key = `${ad.id}/${date}`;
      let fact = facts.get(key);
      if (fact === undefined) {
        fact = makeFact(ad, date);
        facts.set(key, fact);
      }
      if (fact === 'none') return undefined;
      const elapsed = Math.floor((nowMs - ad.account.zone.day(date).startMs) / HOUR_MS);
      // Past the restatement all moments are alike, so they share one resolved day.
      const atHour = Math.min(elapsed, fact.hours.length + RESTATED_DAYS * 24);
      if (atHour <= 0) return undefined;
      if (fact.resolved?.atHour !== atHour) {
        fact.resolved = { atHour, adDay: resolve(fact, atHour, ad.account) };
      }
      const { adDay } = fact.resolved;
      return adDay.total.some((figure) => figure > 0) || adDay.purchases.length > 0
        ? adDay
        : undefined;
    },
    reach(entityId, since, until, cell, impressions) {
      if (impressions === 0) return 0;
      const frequency = 1 + 0.9 * fraction(`${seed}/reach/${entityId}/${since}/${until}/${cell}`);
      return Math.max(1, Math.floor(impressions / frequency));
    },
  };
}
