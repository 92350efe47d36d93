import { type AdsNode, deliversOn } from './ads-tree.ts';
import { HOUR_MS } from './days.ts';
import { Lru } from './lru.ts';
import { createRandom, fraction, whole } from './random.ts';
import { cumulate, pick } from './split.ts';

const HOUR_SHAPE = cumulate([
  3, 2, 1, 1, 1, 2, 4, 6, 7, 7, 7, 8, 9, 8, 7, 7, 7, 8, 9, 10, 12, 13, 11, 7,
]);

/** How a channel's days look. */
export interface AdsFactsPlan {
  /** Values of each dimension with their weights, as the platform spells them; '' = it attributes nothing. */
  dimensions: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Days after a day's end during which its figures may still change. */
  restatedDays: number;
  /** Micros that every amount of money is a multiple of: 1,000,000 = whole won. */
  moneyStep: number;
  /** Micros that every conversion is a multiple of: 1,000,000 = whole ones. */
  conversionStep: number;
}

/** Something that happened at one place; every answer of a channel is a sum over atoms. */
export interface Atom {
  leaf: AdsNode;
  date: string;
  /** Local hour 0–23. */
  hour: number;
  /** The keyword that led to it, where the channel has keywords and it is known. */
  keyword: AdsNode | undefined;
  /** The platform's value of each dimension; '' = attributed to none. */
  values: Readonly<Record<string, string>>;
  impressions: number;
  /** Impressions with those that were not seen, for channels that tell both. */
  rimp: number;
  clicks: number;
  /** micros */
  spend: number;
  /** micros */
  conversions: number;
  /** micros: what the conversions were worth */
  amount: number;
  /** Whole hours after local midnight at which it is first reported … */
  fromHour: number;
  /** … and at which it is taken back, for instance an invalid click; undefined = never. */
  untilHour: number | undefined;
}

/** The advertising of a channel as it truly happened; every figure is a function of (seed, leaf, day, now). */
export interface AdsFacts {
  plan: AdsFactsPlan;
  /** What is reported at a moment of a leaf's day; figures change at whole hours only. */
  atoms(leaf: AdsNode, date: string, nowMs: number): Atom[];
  /** People reached: belongs to exactly this entity, days and cell and never adds up. */
  reach(entityId: string, since: string, until: string, cell: string, impressions: number): number;
}

type Random = () => number;

/** A dimension's values with the chances of one leaf, cumulated. */
interface Taste {
  name: string;
  values: readonly string[];
  shape: number[];
}

/** Each leaf has its own taste, so that the values' shares differ from one entity to the next. */
function tastesOf(plan: AdsFactsPlan, leaf: AdsNode): Taste[] {
  return Object.entries(plan.dimensions).map(([name, weights]) => ({
    name,
    values: Object.keys(weights),
    shape: cumulate(
      Object.entries(weights).map(
        ([value, weight]) => weight * (0.5 + fraction(`taste/${leaf.id}/${name}/${value}`)),
      ),
    ),
  }));
}

function valuesOf(random: Random, tastes: readonly Taste[]): Record<string, string> {
  return Object.fromEntries(
    tastes.map(({ name, values, shape }) => [name, values[pick(random, shape)] ?? '']),
  );
}

function keywordOf(random: Random, leaf: AdsNode): AdsNode | undefined {
  const keywords = leaf.parent?.children.filter(({ kind }) => kind === 'keyword') ?? [];
  // Now and then nothing tells which keyword it was.
  return random() < 0.06 ? undefined : keywords[Math.floor(random() * keywords.length)];
}

function toStep(micros: number, step: number): number {
  return Math.round(micros / step) * step;
}

/** All atoms that will ever be told of a leaf's day, those included that are taken back. */
function happened(seed: string, plan: AdsFactsPlan, leaf: AdsNode, date: string): Atom[] {
  if (!deliversOn(leaf, date)) return [];
  const random = createRandom(`${seed}/atoms/${leaf.id}/${date}`);
  const size = 40 * 12 ** fraction(`${seed}/size/${leaf.id}`);
  const cpc = 300_000_000 * (0.4 + fraction(`${seed}/cpc/${leaf.id}`));
  const { hours } = leaf.account.zone.day(date);
  const hoursOfDay = hours.length;
  const lateMax = plan.restatedDays * 24;
  const tastes = tastesOf(plan, leaf);
  const atoms: Atom[] = [];
  const add = (hour: number, more: Partial<Atom>) => {
    atoms.push({
      leaf,
      date,
      hour,
      keyword: keywordOf(random, leaf),
      values: valuesOf(random, tastes),
      impressions: 0,
      rimp: 0,
      clicks: 0,
      spend: 0,
      conversions: 0,
      amount: 0,
      fromHour: hours.indexOf(hour) + 1,
      untilHour: undefined,
      ...more,
    });
  };
  for (let n = whole(random, 8, 20); n > 0; n -= 1) {
    const slot = pick(random, HOUR_SHAPE);
    const hour = hours.includes(slot) ? slot : 3; // the hour that the clocks skip in spring
    const impressions = Math.round(size * (0.2 + random()));
    const clicks = Math.floor(impressions * (0.01 + 0.04 * random()) + random());
    const spend = toStep(clicks * cpc * (0.8 + 0.4 * random()), plan.moneyStep);
    const rimp = impressions + Math.floor(impressions * 0.2 * random());
    add(hour, { impressions, rimp, clicks, spend });
    for (let c = Math.floor(clicks * 0.15 * random() + 0.35 * random()); c > 0; c -= 1) {
      const lag = Math.floor(random() ** 3 * (hoursOfDay + lateMax - hour - 1));
      const conversions =
        plan.conversionStep === 1_000_000
          ? 1_000_000
          : Math.max(plan.conversionStep, toStep(2_000_000 * random(), plan.conversionStep));
      const amount = toStep((10_000 + 90_000 * random()) * 1_000_000, plan.moneyStep);
      add(hour, { conversions, amount, fromHour: hour + 1 + lag });
    }
  }
  addLateChanges(random, { plan, cpc, hoursOfDay, lateMax }, add);
  return atoms;
}

/** A click that is booked late, and one that is found invalid and taken back with its cost. */
function addLateChanges(
  random: Random,
  {
    plan,
    cpc,
    hoursOfDay,
    lateMax,
  }: { plan: AdsFactsPlan; cpc: number; hoursOfDay: number; lateMax: number },
  add: (hour: number, more: Partial<Atom>) => void,
): void {
  const spend = toStep(cpc, plan.moneyStep);
  if (lateMax === 0) return;
  if (random() < 0.3)
    add(whole(random, 8, 22), {
      clicks: 1,
      spend,
      fromHour: hoursOfDay + Math.floor(random() * lateMax),
    });
  if (random() < 0.25)
    add(whole(random, 8, 22), {
      impressions: 1,
      clicks: 1,
      spend,
      rimp: 1,
      untilHour: hoursOfDay + Math.floor(random() * lateMax),
    });
}

/** Computes leaf days and keeps those used last. */
export function createAdsFacts(seed: string, plan: AdsFactsPlan): AdsFacts {
  const known = new Lru<Atom[]>(20_000);
  return {
    plan,
    atoms(leaf, date, nowMs) {
      const key = `${leaf.id}/${date}`;
      const all = known.get(key) ?? happened(seed, plan, leaf, date);
      known.set(key, all);
      const hoursPassed = Math.floor((nowMs - leaf.account.zone.day(date).startMs) / HOUR_MS);
      return all.filter(
        ({ fromHour, untilHour }) =>
          fromHour <= hoursPassed && (untilHour === undefined || hoursPassed < untilHour),
      );
    },
    reach(entityId, since, until, cell, impressions) {
      if (impressions === 0) return 0;
      const frequency = 1 + 0.9 * fraction(`${seed}/reach/${entityId}/${since}/${until}/${cell}`);
      return Math.max(1, Math.floor(impressions / frequency));
    },
  };
}
