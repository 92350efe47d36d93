import { createRandom, fraction, whole } from './random.ts';
import {
  type Fact,
  type LateEvent,
  METRIC_COUNT,
  NO_HOUR,
  RESTATED_DAYS,
} from './social-figures.ts';
import { SEGMENT_GROUPS, type Segment, type SegmentGroup } from './social-segments.ts';
import { delivers, type SocialEntity } from './social-tree.ts';
import { cumulate, pick, share } from './split.ts';

const HOUR_SHAPE = [3, 2, 1, 1, 1, 2, 4, 6, 7, 7, 7, 8, 9, 8, 7, 7, 7, 8, 9, 10, 12, 13, 11, 7];

type Random = () => number;

/** On some days a group attributes everything, on the others its last cell keeps a part that no list shows. */
function weigh(random: Random, cells: Segment[]): number[] {
  const gaps = random() < 0.2 ? 0 : 1;
  return cumulate(
    cells.map(({ weight, values }) => {
      const isAttributed = Object.keys(values).length > 0;
      return Math.round(weight * 100 * (0.6 + 0.8 * random())) * (isAttributed ? 1 : gaps);
    }),
  );
}

function addEvent(random: Random, fact: Fact, event: Omit<LateEvent, 'cell'>, hour: number): void {
  const { demo, geo, place } = fact.weights;
  const cell = {
    demo: pick(random, demo),
    geo: pick(random, geo),
    place: pick(random, place),
    hour,
  };
  fact.events.push({ ...event, cell });
}

function addPurchase(random: Random, fact: Fact, minor: number): void {
  const slot = pick(random, cumulate(fact.hours.map((hour) => HOUR_SHAPE[hour] ?? 1)));
  const kind = random();
  const isQuick = kind < 0.3;
  const lagMax = fact.hours.length + RESTATED_DAYS * 24 - slot - 1;
  const lag = isQuick ? whole(random, 0, 24) : Math.floor(random() ** 3 * (lagMax + 1));
  const byClick = lag <= 24 ? '1d_click' : lag <= 168 ? '7d_click' : '28d_click';
  const window = kind < 0.2 ? '1d_view' : isQuick ? '1d_ev' : byClick;
  const place = random() < 0.75 ? 'pixel' : 'onsite';
  const purchase = {
    place,
    window,
    valueMinor: Math.round(minor * (20 + 130 * random())),
  } as const;
  addEvent(
    random,
    fact,
    { atHour: slot + 1 + lag, clicks: 0, spend: 0, purchase },
    fact.hours[slot] ?? 0,
  );
}

function addLateClick(random: Random, fact: Fact, cpc: number, hour: number): void {
  const after = Math.floor(random() ** 2 * RESTATED_DAYS * 24);
  const event = {
    atHour: fact.hours.length + after,
    clicks: 1,
    spend: Math.round(cpc),
    purchase: undefined,
  };
  addEvent(random, fact, event, hour);
}

/** The delivery of an ordinary day, hour by hour. */
function addDelivery(random: Random, fact: Fact, impressions: number, cpc: number): number {
  const clicks = Math.round(impressions * (0.008 + 0.022 * random()));
  const linkClicks = Math.round(clicks * (0.5 + 0.4 * random()));
  const values = [impressions, clicks, linkClicks, Math.round(clicks * cpc)];
  const shape = cumulate(
    fact.hours.map((hour) => Math.round((HOUR_SHAPE[hour] ?? 1) * 100 * (0.5 + random()))),
  );
  for (let slot = 0; slot < fact.hours.length; slot += 1) {
    for (const [m, value] of values.entries()) {
      fact.slots[slot * METRIC_COUNT + m] = share(value, shape, slot);
    }
  }
  return clicks;
}

/**
 * What happened to an ad on a local day, or undefined for nothing at all. Now and then a day without delivery has one
 * click of the day before, booked late: it is in the totals, in no list, and has no hour.
 */
export function makeFact(
  ad: SocialEntity,
  date: string,
  seed: string,
  segments: Record<SegmentGroup, Segment[]>,
): Fact | undefined {
  const random = createRandom(`${seed}/fact/${ad.id}/${date}`);
  const isActive = delivers(ad, date, seed);
  const isStray =
    !isActive && !ad.draft && ad.endedOn === undefined && ad.createdOn < date && random() < 0.04;
  if (!isActive && !isStray) return undefined;
  const { hours } = ad.account.zone.day(date);
  const weights = {
    demo: weigh(random, segments.demo),
    geo: weigh(random, segments.geo),
    place: weigh(random, segments.place),
  };
  const slots = new Int32Array(hours.length * METRIC_COUNT);
  const fact: Fact = { slots, hours, events: [], weights };
  // Prices are about alike in both currencies: 1,000 won are about 80 cents.
  const minor = ad.account.minorDigits === 0 ? 1_000 : 80;
  const cpc = minor * (0.25 + 0.6 * fraction(`${seed}/cpc/${ad.id}`));
  if (isStray) {
    addLateClick(random, fact, cpc, NO_HOUR);
    for (const event of fact.events) {
      for (const group of SEGMENT_GROUPS) event.cell[group] = segments[group].length - 1;
    }
    return fact;
  }
  const size = 150 * 30 ** fraction(`${seed}/size/${ad.id}`);
  const clicks = addDelivery(random, fact, Math.round(size * (0.6 + 0.8 * random())), cpc);
  const purchases = Math.floor(clicks * 0.08 * random() + random());
  for (let i = 0; i < purchases; i += 1) addPurchase(random, fact, minor);
  for (let i = whole(random, 0, 3); i > 0; i -= 1) {
    addLateClick(random, fact, cpc, random() < 0.25 ? NO_HOUR : whole(random, 8, 22));
  }
  return fact;
}
