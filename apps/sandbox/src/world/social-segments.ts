/** One cell of the demographic split; undefined fields are what the platform does not attribute. */
export interface Segment {
  values: Record<string, string>;
  weight: number;
}

/** The breakdown keys that can be asked together come from one group; each group splits the whole of an ad's day. */
export type SegmentGroup = 'demo' | 'geo' | 'place';

export const SEGMENT_GROUPS = ['demo', 'geo', 'place'] as const satisfies SegmentGroup[];

/** The last cell of each group: delivery that the platform shows in totals and in no list of the group. */
const NOT_ATTRIBUTED: Segment = { values: {}, weight: 3 };

const AGES = {
  '18-24': 16,
  '25-34': 30,
  '35-44': 24,
  '45-54': 15,
  '55-64': 8,
  '65+': 4,
  Unknown: 1,
};
const GENDERS = { female: 55, male: 41, unknown: 4 };

function demographics(): Segment[] {
  return Object.entries(AGES).flatMap(([age, a]) =>
    Object.entries(GENDERS).map(([gender, g]) => ({
      values: { age, gender },
      weight: (a * g) / 100,
    })),
  );
}

/** A country's regions; the country is also seen with no region told. */
function country(code: string, regions: Record<string, number>): Segment[] {
  const known = Object.entries(regions).map(([region, weight]) => ({
    values: { country: code, region },
    weight,
  }));
  return [...known, { values: { country: code }, weight: 2 }];
}

function place(key: string, device: string, platform: string, weight: number): Segment {
  const [publisher = '', position = ''] = key.split('/');
  const values = {
    publisher_platform: publisher,
    platform_position: position,
    impression_device: device,
    device_platform: platform,
  };
  return { values, weight };
}

const PLACES: Segment[] = [
  place('facebook/feed', 'android_smartphone', 'mobile_app', 22),
  place('facebook/feed', 'iphone', 'mobile_app', 14),
  place('facebook/feed', 'desktop', 'desktop', 11),
  place('facebook/feed', 'android_smartphone', 'mobile_web', 9),
  place('facebook/right_hand_column', 'desktop', 'desktop', 5),
  place('instagram/feed', 'iphone', 'mobile_app', 13),
  place('instagram/instagram_stories', 'android_smartphone', 'mobile_app', 11),
  place('instagram/feed', 'iphone', 'mobile_web', 6),
  place('audience_network/an_classic', 'ipad', 'mobile_app', 6),
];

const KOREA = country('KR', { Seoul: 40, 'Gyeonggi-do': 24, Busan: 12, Incheon: 7, 'Jeju-do': 3 });
const JAPAN = country('JP', { Tokyo: 6, Osaka: 3 });
const UNITED_STATES = country('US', { California: 30, 'New York': 26, Texas: 18, Washington: 8 });
const CANADA = country('CA', { Ontario: 8, 'British Columbia': 4 });

/** The cells of each group for an account that advertises in its home market and one beside it. */
export function segmentsOf(currency: string): Record<SegmentGroup, Segment[]> {
  const home = currency === 'KRW' ? [...KOREA, ...JAPAN] : [...UNITED_STATES, ...CANADA];
  return {
    demo: [...demographics(), NOT_ATTRIBUTED],
    geo: [...home, NOT_ATTRIBUTED],
    place: [...PLACES, NOT_ATTRIBUTED],
  };
}
