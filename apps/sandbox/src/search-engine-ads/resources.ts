import type { Atom } from '../world/ads-facts.ts';
import { type AdsAccount, type AdsNode, ancestorOf } from '../world/ads-tree.ts';
import { HOUR_MS, type Zone } from '../world/days.ts';
import { NO_REGION, PLACES } from './world.ts';

export type Kind = 'campaign' | 'adGroup' | 'ad' | 'keyword';

/** One row of an answer before it is written: what it belongs to and the atoms that it adds up. */
export interface Row {
  account: AdsAccount;
  nodes: Partial<Record<Kind, AdsNode>>;
  /** The view's own attributes, as they are sent. */
  view: Readonly<Record<string, string | boolean>>;
  segments: Readonly<Record<string, string | number | undefined>>;
  atoms: Atom[];
}

type View = Row['view'];

/** What can stand behind FROM and has metrics. */
export interface Resource {
  /** Its rows are told apart by these; atoms that have not all of them are in no row. */
  kinds: readonly Kind[];
  /** Rows are also told apart by these where the query selects one of their fields. */
  kindsIfSelected: readonly Kind[];
  segments: readonly string[];
  /** The views of one atom: none when the platform attributes it to nothing, several when it is told twice. */
  views(atom: Atom): View[];
  /** Once a day, and not while the day runs. */
  isPublishedDaily?: true;
}

const ANY: View[] = [{}];
const ON_LEVEL = ['date', 'device', 'hour'];
const level = (...kinds: Kind[]): Resource => ({
  kinds,
  kindsIfSelected: [],
  segments: kinds.includes('ad') ? ['date', 'device'] : ON_LEVEL,
  views: () => ANY,
});
const demographic = (dimension: 'age' | 'gender'): Resource => ({
  kinds: ['campaign', 'adGroup'],
  kindsIfSelected: [],
  segments: ['date', 'device'],
  views: ({ values }) => (values[dimension] ? [{ type: values[dimension] }] : []),
  isPublishedDaily: true,
});
const geographic = (views: Resource['views']): Resource => ({
  kinds: [],
  kindsIfSelected: ['campaign', 'adGroup'],
  segments: ['date', 'device', 'geo_target_region'],
  views,
});

export const RESOURCES: Readonly<Record<string, Resource>> = {
  customer: level(),
  campaign: level('campaign'),
  ad_group: level('campaign', 'adGroup'),
  ad_group_ad: level('campaign', 'adGroup', 'ad'),
  keyword_view: {
    ...level('campaign', 'adGroup', 'keyword'),
    segments: ['date', 'device'],
  },
  age_range_view: demographic('age'),
  gender_view: demographic('gender'),
  user_location_view: geographic(({ values }) =>
    values.region
      ? [
          {
            country_criterion_id: countryOf(values.region),
            targeting_location: values.isTargeted === 'true',
            region: values.region,
          },
        ]
      : [],
  ),
  // Where somebody was, and once more where they were interested in: the rows do not add up to the total.
  geographic_view: geographic(({ values }) => [
    ...(values.region ? [locationView('LOCATION_OF_PRESENCE', values.region)] : []),
    ...(values.interest ? [locationView('AREA_OF_INTEREST', values.interest)] : []),
  ]),
};

function locationView(locationType: string, region: string): View {
  return { country_criterion_id: countryOf(region), location_type: locationType, region };
}

function countryOf(region: string): string {
  return PLACES[region]?.country ?? '2410';
}

export function nodesOf(atom: Atom): Row['nodes'] {
  const { leaf, keyword } = atom;
  const [campaign, adGroup] = [ancestorOf(leaf, 'campaign'), ancestorOf(leaf, 'adGroup')];
  return {
    ...(campaign && { campaign }),
    ...(adGroup && { adGroup }),
    ...(leaf.kind === 'ad' && { ad: leaf }),
    ...(keyword && { keyword }),
  };
}

/** The value of a segment; undefined where the platform leaves it out. */
export function segmentOf(name: string, atom: Atom, view: View): string | number | undefined {
  if (name === 'date') return atom.date;
  if (name === 'hour') return atom.hour || undefined; // a zero is left out
  if (name === 'device') return atom.values.device;
  const { region } = view;
  return region === NO_REGION ? undefined : `geoTargetConstants/${region}`;
}

export const PACIFIC = 'America/Los_Angeles';
const PUBLISHED_AT_HOUR = 18;

/**
 * Demographic figures of a day come with the first daily run, at 18:00 Pacific time, after the day's end in its
 * account's zone.
 */
export function createPublication(pacific: Zone) {
  return (zone: Zone, date: string, now: number): boolean => {
    const { startMs, hours } = zone.day(date);
    const endMs = startMs + hours.length * HOUR_MS;
    const sixOf = (day: string) => {
      const { startMs: midnight, hours: shown } = pacific.day(day);
      return midnight + shown.indexOf(PUBLISHED_AT_HOUR) * HOUR_MS;
    };
    const day = pacific.dateAt(endMs);
    const sameDay = sixOf(day);
    const publishedAt = sameDay >= endMs ? sameDay : sixOf(pacific.dateAt(sameDay + 12 * HOUR_MS));
    return now >= publishedAt;
  };
}
